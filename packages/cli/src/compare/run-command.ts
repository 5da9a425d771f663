import { writeFileSync } from 'node:fs'
import { isLimitsError } from '@sluice/limits'
import { type ExitCode, exitCode, UsageError } from '../exit-code.ts'
import { printJson, printProblems } from '../print.ts'
import { htmlOf } from './html/html.ts'
import type { Origin } from './origin.ts'
import { printReport } from './report.ts'
import { compare } from './run-compare.ts'
import { type Flags, readSettings, type Settings } from './settings.ts'

/** Compares, then prints and writes the requested output. */
export async function runCompare(logs: readonly string[], flags: Flags, origin: Origin): Promise<ExitCode> {
  const settings = settingsOrProblems(logs, flags)
  if (settings === undefined) return exitCode.problems
  const comparison = await compare(settings)
  if (settings.html !== undefined) writePage(settings.html, htmlOf(comparison, origin))
  if (settings.json) printJson(comparison)
  else printReport(comparison)
  return comparison.input.requests === 0 ? exitCode.problems : exitCode.fine
}

function settingsOrProblems(logs: readonly string[], flags: Flags): Settings | undefined {
  try {
    return readSettings(logs, flags)
  } catch (error) {
    if (!isLimitsError(error)) throw error
    printProblems(error.problems)
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
