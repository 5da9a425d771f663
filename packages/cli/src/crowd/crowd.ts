import { type ExitCode, exitCode } from '../exit-code.ts'
import { oneLine } from '../one-line.ts'
import { printJson } from '../print.ts'
import { EndpointClient } from './endpoint-client.ts'
import { Failure } from './failure.ts'
import { type Interruption, interruption } from './interruption.ts'
import { progressOn } from './progress.ts'
import { dashboardAt, printReport, reportOf } from './report.ts'
import { type CrowdOutcome, runCrowd } from './run-crowd.ts'
import { offeredInWindow, type Settings } from './settings.ts'
import { count } from './words.ts'
import { type OpenZoo, openZoo } from './zoo/own-zoo.ts'

/** Sends the crowd and prints the results. */
export async function crowd(settings: Settings): Promise<ExitCode> {
  const interrupted = interruption()
  try {
    const zoo = await zooFor(settings)
    try {
      return await crowdAt(zoo.url, settings, interrupted)
    } finally {
      await zoo.close()
    }
  } catch (error) {
    if (error instanceof Failure) return failed(error.message, error.code)
    throw error
  } finally {
    interrupted.forget()
  }
}

async function zooFor({ where }: Settings): Promise<OpenZoo> {
  return where.kind === 'own' ? openZoo(where.own) : { url: where.url, async close() {} }
}

async function crowdAt(server: URL, settings: Settings, interrupted: Interruption): Promise<ExitCode> {
  const { json, where } = settings
  const stays = where.kind === 'own' && where.own.stay
  // With --json, programs read standard output: only the document goes there.
  const say = json ? console.error : console.log
  say(
    `Dashboard: ${dashboardAt(server)}${where.kind === 'own' && !stays ? ' until the crowd has finished' : ''}`,
  )
  sayLoad(settings, say)
  const outcome = await send(server, settings, interrupted.signal)
  if (json) printJson(reportOf(settings, server, outcome))
  else printReport(outcome.results, settings)
  if (outcome.failure !== null) return failed(outcome.failure)
  if (outcome.interrupted) return exitCode.interrupted
  if (stays) {
    say('The server keeps running until Ctrl-C.')
    await interrupted.came
  }
  return exitCode.fine
}

async function send(server: URL, settings: Settings, signal: AbortSignal): Promise<CrowdOutcome> {
  const { tests, json, loops, allowed, seconds } = settings
  const client = new EndpointClient(server)
  const progress = progressOn(json ? process.stderr : process.stdout, { tests: tests.length, seconds })
  try {
    return await runCrowd(tests, { loops, allowed, seconds, client, progress, signal })
  } finally {
    client.close()
  }
}

/** Warns about a load that every limit would admit. */
function sayLoad(settings: Settings, say: (text: string) => void): void {
  const { allowed, tests, seconds } = settings
  const offered = offeredInWindow(settings)
  const number = tests.length === 1 ? '1 test' : `${tests.length} tests`
  say(`${number} of ${seconds} s: about ${count(offered)} requests in 10 s, ${count(allowed)} allowed`)
  if (offered < 1.5 * allowed)
    say('This is not clearly above the allowance: more loops or a smaller allowance would show more.')
}

function failed(message: string, code: ExitCode = exitCode.problems): ExitCode {
  console.error(`error: ${oneLine(message)}`)
  return code
}
