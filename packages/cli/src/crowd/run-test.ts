import { drive } from './drive.ts'
import type { EndpointClient } from './endpoint-client.ts'
import { plan } from './plan.ts'
import type { Progress } from './progress.ts'
import { boundOf, ruleWords } from './rule-words.ts'
import { inSpanAt } from './series.ts'
import { Tally } from './tally.ts'
import type { TestResult } from './test-result.ts'
import type { CrowdTest } from './tests.ts'
import { windowMs } from './window.ts'

export interface Setting {
  readonly loops: number
  readonly allowed: number
  readonly seconds: number
  readonly client: EndpointClient
  readonly progress: Progress
  readonly signal: AbortSignal
}

export interface Ended {
  readonly result: TestResult
  /** Why no other test can follow, if the server has gone away. */
  readonly failure: string | null
}

/** The number of points in a chart. */
const steps = 72
/** Extra time for late requests. */
const graceMs = 2000
/** After this many requests in a row without an answer, the server counts as gone. */
const maxSilent = 20

/** Runs one test at the endpoint. Rejects with a Failure if it cannot begin. */
export async function runTest(test: CrowdTest, setting: Setting): Promise<Ended> {
  const { allowed, loops, seconds, client, progress } = setting
  const rule = test.rule(allowed)
  const maxSeconds = seconds + Math.ceil((graceMs + (rule.visitMs ?? 0)) / 1000)
  const run = await client.open({ title: test.name, ...rule, seconds: maxSeconds })
  const tally = new Tally()
  const gone = new AbortController()
  const signal = AbortSignal.any([setting.signal, gone.signal])
  const begunMs = performance.now()
  const elapsedMs = () => performance.now() - begunMs
  progress.begin(test.name, { elapsedMs, tally })
  const unsent = await drive(plan(test.crowd(allowed), { loops, seconds }), {
    elapsedMs,
    endMs: seconds * 1000 + graceMs,
    signal,
    async ask(visitor) {
      const answer = await client.ask(run, visitor)
      tally.add(visitor, answer, elapsedMs())
      if (answer.kind === 'none' && tally.silent >= maxSilent) gone.abort(answer.why)
    },
  })
  const inWindow = windowsOf(tally, { seconds, endedMs: signal.aborted ? elapsedMs() : null })
  await client.end(run)
  const result = {
    name: test.name,
    about: test.about,
    rule: ruleWords(rule),
    bound: boundOf(rule),
    ...tally.figures(),
    unsent,
    inWindow,
  }
  progress.end(result)
  return { result, failure: gone.signal.aborted ? String(gone.signal.reason) : null }
}

/** A test that ended early has no points after its end. */
function windowsOf(
  { decided, beginMs }: Tally,
  { seconds, endedMs }: { seconds: number; endedMs: number | null },
): TestResult['inWindow'] {
  const stepMs = (seconds * 1000) / steps
  const count = endedMs === null ? steps : Math.min(steps, Math.ceil(endedMs / stepMs))
  return { stepMs, values: inSpanAt(decided, { spanMs: windowMs, beginMs, stepMs, count }) }
}
