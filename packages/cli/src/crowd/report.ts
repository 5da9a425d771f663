import { paint } from '../print.ts'
import { wrapped } from '../terminal/text.ts'
import { terminalWidth } from '../terminal/width.ts'
import { chartOf, scaleOf } from './chart.ts'
import type { CrowdOutcome } from './run-crowd.ts'
import type { Settings } from './settings.ts'
import { tableOf } from './table.ts'
import type { TestResult } from './test-result.ts'
import { windowMs } from './window.ts'
import { troubles } from './words.ts'

/** The output of `--json`. */
export interface Report {
  readonly loops: number
  readonly allowed: number
  readonly windowMs: number
  readonly secondsPerTest: number
  /** The address of the server. */
  readonly server: string
  readonly dashboard: string
  readonly interrupted: boolean
  readonly failure: string | null
  readonly tests: readonly TestResult[]
}

/** The dashboard's address, as mounted by the zoo. */
export function dashboardAt(server: URL): string {
  return new URL('dashboard/#filter=crowd&windows', server).href
}

export function reportOf(settings: Settings, server: URL, outcome: CrowdOutcome): Report {
  const { loops, allowed, seconds } = settings
  const { results, failure, interrupted } = outcome
  return {
    loops,
    allowed,
    windowMs,
    secondsPerTest: seconds,
    server: server.href,
    dashboard: dashboardAt(server),
    interrupted,
    failure,
    tests: results,
  }
}

const legend = `most in 10 s: admitted in any 10 s, of what the policy allows in them; by the server's clock, so never too high
fairness: Jain's index over all clients; 1.00 if all got the same`
const below = 'Charts: admitted in the last 10 s, over the time of each test; the line is the allowance.'

/** Prints the table, failures, and a chart of each test. */
export function printReport(
  results: readonly TestResult[],
  { allowed }: Pick<Settings, 'allowed'>,
  width: number | null = terminalWidth(),
): void {
  if (results.length === 0) return
  console.log(`\n${tableOf(results, width)}\n${wrapped(legend, width)}`)
  const scale = scaleOf(results, allowed)
  for (const result of results) {
    const about = `${paint('bold', result.name)} (${result.about}): ${result.rule}${troubles(result)}`
    console.log(`\n${wrapped(about, width)}`)
    console.log(chartOf(result, scale, width))
  }
  console.log(`\n${wrapped(below, width)}`)
}
