import { writeFileSync } from 'node:fs'
import { isLimitsError } from '@sluice/limits'
import { type ExitCode, exitCode, UsageError } from '../exit-code.ts'
import { printJson, reportLimitsError } from '../print.ts'
import type { Comparison } from './comparison.ts'
import { htmlOf } from './html/html.ts'
import { UnjudgedError } from './judge.ts'
import type { Origin } from './origin.ts'
import type { Recorded } from './recorded/recorded.ts'
import { printReport } from './report.ts'
import { compare } from './run-compare.ts'
import { type Flags, readSettings, type Settings } from './settings.ts'

/** Compares, then prints and writes the requested output. */
export async function runCompare(logs: readonly string[], flags: Flags, origin: Origin): Promise<ExitCode> {
  const { recorded: name, prefix = '' } = flags
  if (name === undefined) return compareAndPrint(logs, flags, origin)
  const [{ inSession }, { readRecorded }] = await Promise.all([
    import('../live/session.ts'),
    import('./recorded/recorded.ts'),
  ])
  return inSession(flags, async (session) => {
    const recorded = await readRecorded(name, session, prefix)
    if (recorded === undefined) return nothingRecorded()
    return compareAndPrint(logs, flagsFor(recorded, flags), origin, recorded)
  })
}

function nothingRecorded(): ExitCode {
  console.error(
    'No traffic is recorded here. Has the recorder of your services the option `traffic`, and its sink the prefix that --prefix says?',
  )
  return exitCode.problems
}

/** Counts by the policy's own keys and costs; tries the policy in force where none is given. */
function flagsFor({ inForce }: Recorded, flags: Flags): Flags {
  const policy = flags.policy.length === 0 && inForce !== undefined ? [inForce] : flags.policy
  const key = flags.key === 'ip' ? 'field:key' : flags.key
  return { ...flags, policy, key, cost: flags.cost ?? 'field:cost' }
}

async function compareAndPrint(
  logs: readonly string[],
  flags: Flags,
  origin: Origin,
  recorded?: Recorded,
): Promise<ExitCode> {
  const settings = settingsOrProblems(logs, flags)
  if (settings === undefined) return exitCode.problems
  const comparison = await comparisonOrReason(settings, recorded)
  if (comparison === undefined) return exitCode.problems
  if (settings.html !== undefined) writePage(settings.html, htmlOf(comparison, origin))
  if (settings.json) printJson(comparison)
  else printReport(comparison)
  return comparison.input.requests === 0 ? exitCode.problems : exitCode.fine
}

async function comparisonOrReason(settings: Settings, recorded?: Recorded): Promise<Comparison | undefined> {
  try {
    return await compare(settings, recorded)
  } catch (error) {
    if (!(error instanceof UnjudgedError)) throw error
    console.error(`error: ${error.message}`)
    return undefined
  }
}

function settingsOrProblems(logs: readonly string[], flags: Flags): Settings | undefined {
  try {
    return readSettings(logs, flags)
  } catch (error) {
    if (!isLimitsError(error)) throw error
    reportLimitsError(error)
    return undefined
  }
}

function writePage(file: string, page: string): void {
  try {
    writeFileSync(file, page)
  } catch (error) {
    const reason = error instanceof Error ? error.message.split(',')[0] : String(error)
    throw new UsageError(`cannot write ${file} (${reason})`)
  }
}
