import { setTimeout as after } from 'node:timers/promises'
import { isStoreError } from '@sluice/core'
import type { RunningProcess } from '@sluice/operations'
import type { Command } from 'commander'
import { type Done, type ExitCode, exitCode } from '../exit-code.ts'
import { printJson } from '../print.ts'
import { addConnection, type ConnectionFlags, connectionHelp } from './connection.ts'
import { inSession, noProcesses, type Session } from './session.ts'

type Reader = Session['reader']

interface Flags extends ConnectionFlags {
  readonly once?: true
}

const examples = `
Examples:
  $ REDIS_URL=rediss://redis.zoo.example sluice top
  $ sluice top --once --json --url redis://localhost
`

/** `sluice top` */
export function addTop(program: Command, done: Done): void {
  addConnection(program.command('top'))
    .description('Shows live which limiters run, who is refused and who is near a limit. Ctrl-C ends it.')
    .option('--once', 'print one picture and end, as in a pipe')
    .addHelpText('after', examples + connectionHelp)
    .action(async (flags: Flags) => done(await top(flags)))
}

async function top(flags: Flags): Promise<ExitCode> {
  const lives = process.stdout.isTTY === true && !flags.once && !flags.json
  return inSession(flags, (session) => (lives ? live(session) : once(session, flags)))
}

async function once({ reader }: Session, { json }: Flags): Promise<ExitCode> {
  const processes = await reader.processes()
  if (json) printJson({ processes, acts: await reader.acts(5) })
  if (processes.length === 0) return noProcesses()
  if (!json) for (const line of await pictureOf(processes, reader)) console.log(line)
  return exitCode.fine
}

/** Redrawn in place each second, on the terminal's second screen, until Ctrl-C. */
async function live({ reader }: Session): Promise<ExitCode> {
  const ended = new AbortController()
  const end = () => ended.abort()
  process.once('SIGINT', end)
  process.once('SIGTERM', end)
  process.stdout.write('\u001b[?1049h\u001b[?25l')
  try {
    while (!ended.signal.aborted) {
      draw(await linesNow(reader))
      await after(1000, undefined, { signal: ended.signal }).catch(() => {})
    }
    return exitCode.fine
  } finally {
    process.stdout.write('\u001b[?25h\u001b[?1049l')
    process.off('SIGINT', end)
    process.off('SIGTERM', end)
  }
}

/** The lines to show; during an outage of Redis, a line that says so. */
async function linesNow(reader: Reader): Promise<readonly string[]> {
  try {
    return await pictureOf(await reader.processes(), reader)
  } catch (error) {
    if (!isStoreError(error)) throw error
    return ['Redis does not answer. Trying again every second.']
  }
}

async function pictureOf(processes: readonly RunningProcess[], reader: Reader): Promise<readonly string[]> {
  const { topLines } = await import('./top-lines.ts')
  return topLines(processes, await reader.acts(5))
}

function draw(lines: readonly string[]): void {
  // A terminal that does not know its size says 0.
  const room = (process.stdout.rows || 24) - 1
  const shown = lines.slice(0, room).map((line) => `${line}\u001b[K\n`)
  process.stdout.write(`\u001b[H${shown.join('')}\u001b[J`)
}
