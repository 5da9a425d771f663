import { paint } from '../print.ts'
import { chartOf, scaleOf } from './chart.ts'
import type { Seen } from './run-crowd.ts'
import type { Settings } from './settings.ts'
import { tableOf } from './table.ts'
import type { TestResult } from './test-result.ts'
import { windowMs } from './window.ts'
import { troubles } from './words.ts'

/** What `--json` prints. */
export interface Report {
  readonly loops: number
  readonly allowed: number
  readonly windowMs: number
  readonly secondsPerTest: number
  /** Where the crowd went. */
  readonly server: string
  readonly dashboard: string
  readonly interrupted: boolean
  readonly failure: string | null
  readonly tests: readonly TestResult[]
}

/** As the zoo mounts it. */
export function dashboardAt(server: URL): string {
  return new URL('dashboard/#filter=crowd&windows', server).href
}

export function reportOf(settings: Settings, server: URL, seen: Seen): Report {
  const { loops, allowed, seconds } = settings
  const { results, failure, interrupted } = seen
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

const legend = `most in 10 s: admitted in any 10 s, by the server's instants before and after each decision, so never too high;
fairness: Jain's index over all clients that asked, 1.00 where all got the same`

/** The table, what went wrong, and a chart of each test. */
export function printReport(results: readonly TestResult[], { allowed, seconds }: Settings): void {
  if (results.length === 0) return
  console.log(`\n${tableOf(results, allowed)}\n${legend}`)
  const scale = scaleOf(results, allowed)
  for (const result of results) {
    console.log(`\n${paint('bold', result.title)}: ${result.rule}${troubles(result)}`)
    console.log(chartOf(result, scale))
  }
  console.log(`\nadmitted in the last 10 s, over the ${seconds} s of each test; the line is what is allowed`)
}
