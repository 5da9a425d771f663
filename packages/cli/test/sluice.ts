import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { bundled } from '@sluice/faults/bundle'
import { runHere } from './run-here.ts'

const main = path.resolve(__dirname, '../src/main.ts')

/** The program, for a test that starts it by itself. */
export const program: () => Promise<string> = bundled(main)

export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A folder with files in it. */
export function folderWith(files: Readonly<Record<string, string | Buffer>>): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-cli-'))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    writeFileSync(path.join(folder, name), content)
  }
  return folder
}

/**
 * What the program says to a command line, with that folder as its working directory. It runs in this process, where it starts in no
 * time: programs of their own are started in commands.test.ts, and of every command where it is packed.
 */
export function sluice(folder: string, ...args: readonly string[]): Promise<Ended> {
  return sluiceWith({}, folder, ...args)
}

/** The same with more in its environment. */
export function sluiceWith(
  env: Readonly<Record<string, string>>,
  folder: string,
  ...args: readonly string[]
): Promise<Ended> {
  // There is one working directory, and one place for what is printed.
  const ended = last.then(() => runHere(env, folder, args))
  last = ended.catch(() => {})
  return ended
}

let last: Promise<unknown> = Promise.resolve()

/** The same in a process of its own. */
export async function sluiceAlone(folder: string, ...args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [await program(), ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { code, stdout, stderr }
}
