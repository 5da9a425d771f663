import { UsageError } from '../exit-code.ts'
import type { Comparison, LogFacts } from './comparison.ts'
import { judge } from './judge.ts'
import { fileSource, type Source, standardInput } from './log/bytes.ts'
import { Findings } from './log/findings.ts'
import { readLogs } from './log/read-log.ts'
import { madeRequests } from './made-requests.ts'
import { policyContender } from './policy-candidate.ts'
import { policyData } from './policy-text.ts'
import { type Progress, withProgress } from './progress.ts'
import type { Recorded } from './recorded/recorded.ts'
import { recordedEntries, recordedFields } from './recorded/recorded-entries.ts'
import { type Replayed, replay } from './replay/replay.ts'
import type { Requests } from './request.ts'
import type { Settings } from './settings.ts'
import type { Aim } from './suggest/aim.ts'
import { keep, keptRequests } from './suggest/kept.ts'
import { suggest } from './suggest/suggest.ts'
import { generatedFields, trafficEntries } from './traffic-entries.ts'

/** What is replayed, and what is known about it afterwards. */
interface Input {
  readonly source: string
  /** The total in the unit of the progress, if known. */
  readonly whole: number | undefined
  requests(progress: Progress): Requests
  log(): LogFacts | null
  /** Throws an UnjudgedError for clients that cannot be right. */
  judge(traffic: Replayed['traffic']): void
}

export async function compare(settings: Settings, recorded?: Recorded): Promise<Comparison> {
  const input = await inputOf(settings, recorded)
  const { traffic, timeline, results, suggestions } =
    settings.aim === undefined
      ? await replayOnly(input, settings)
      : await suggestAndReplay(input, settings.aim, settings)
  input.judge(traffic)
  const { clientBy } = settings.keys
  return {
    input: { source: input.source, clientBy, ...traffic, log: input.log() },
    timeline,
    results,
    suggestions,
  }
}

async function inputOf(settings: Settings, recorded: Recorded | undefined): Promise<Input> {
  if (recorded !== undefined) return recordedInput(recorded, settings)
  return settings.traffic === undefined ? await logInput(settings) : trafficInput(settings.traffic, settings)
}

type Outcome = Replayed & Pick<Comparison, 'suggestions'>

async function replayOnly({ whole, requests }: Input, settings: Settings): Promise<Outcome> {
  const { contenders, wellBehavedShare } = settings
  const replayed = await withProgress(whole, (progress) =>
    replay(requests(progress), contenders, wellBehavedShare),
  )
  return { ...replayed, suggestions: null }
}

/** Standard input cannot be read twice, so all requests are kept. */
async function suggestAndReplay(input: Input, aim: Aim, settings: Settings): Promise<Outcome> {
  const { contenders, keys, wellBehavedShare } = settings
  const kept = await withProgress(input.whole, (progress) => keep(input.requests(progress)))
  const suggestions = await withProgress(aim.policies.length, (progress) => suggest(kept, aim, progress.at))
  const asked = contenders.map(({ candidate }) => candidate.text)
  const added = suggestions.found
    .filter(({ text }) => !asked.includes(text))
    .map(({ text }) => policyContender(policyData(text), text, keys.keyedBy))
  return { ...(await replay(keptRequests(kept), [...contenders, ...added], wellBehavedShare)), suggestions }
}

async function logInput({ logs, parser, client, toRequest, keys }: Settings): Promise<Input> {
  const sources = await Promise.all((logs.length === 0 ? ['-'] : logs).map(sourceOf))
  const findings = new Findings()
  const sizes = sources.map(({ size }) => size)
  const source = sources.map(({ name }) => name).join(', ')
  return {
    source,
    whole: sizes.reduce((sum, size) => (sum === undefined || size === undefined ? undefined : sum + size), 0),
    requests: (progress) => readLogs(sources, { parser, client, toRequest, findings, progress: progress.at }),
    log: () => (keys.clientBy === 'ip' ? findings.facts : { ...findings.facts, clients: [] }),
    judge: (traffic) => {
      if (keys.clientBy === 'ip') judge({ source, traffic, findings, named: client.field !== undefined })
    },
  }
}

async function sourceOf(log: string): Promise<Source> {
  if (log !== '-') return await fileSource(log)
  // A command typed without a log would wait for the terminal for ever.
  if (process.stdin.isTTY)
    throw new UsageError('nothing to replay: name a log, pipe one in, or generate traffic with --traffic')
  return standardInput()
}

function trafficInput({ text, made }: NonNullable<Settings['traffic']>, { toRequest }: Settings): Input {
  return {
    source: `generated traffic ${text}`,
    whole: made.expected,
    requests: (progress) =>
      counting(madeRequests(trafficEntries(made), toRequest, generatedFields), progress),
    log: () => null,
    judge() {},
  }
}

function recordedInput({ name, traffic }: Recorded, { toRequest }: Settings): Input {
  const ofKeys = traffic.share === 1 ? '' : `, one in ${1 / traffic.share} of its keys`
  return {
    source: `${name} as recorded${ofKeys}`,
    whole: traffic.requests.reduce((sum, { requests }) => sum + requests, 0),
    requests: (progress) =>
      counting(madeRequests(recordedEntries(traffic.requests), toRequest, recordedFields), progress),
    log: () => null,
    judge() {},
  }
}

async function* counting(requests: Requests, progress: Progress): Requests {
  let done = 0
  for await (const batch of requests) {
    done += batch.length
    progress.at(done)
    yield batch
  }
}
