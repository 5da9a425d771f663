import { type ExitCode, exitCode } from '../exit-code.ts'
import { printJson } from '../print.ts'
import { figures } from './figures.ts'
import { partsOf } from './lines.ts'
import { planOf } from './plan.ts'
import { reportOf } from './report.ts'
import { type Flags, readSettings } from './settings.ts'

/** Computes a plan and prints it. Throws a UsageError. */
export function runPlan(flags: Flags): ExitCode {
  const given = readSettings(flags)
  const plan = planOf(given, figures)
  if (flags.json === true) printJson({ figures: figures.on, plan, parts: partsOf(given, plan) })
  else console.log(reportOf(given, plan, { figures }))
  return exitCode.fine
}
