import { didYouMean } from '@sluice/core/internal'
import { type RecordedTraffic, readTraffic, redisSink } from '@sluice/telemetry'
import { UsageError } from '../../exit-code.ts'
import type { Session } from '../../live/session.ts'
import { type PolicyData, textOf } from '../policy-text.ts'

/** Traffic that services have recorded, of one policy. */
export interface Recorded {
  /** `login.visitor` */
  readonly name: string
  readonly traffic: RecordedTraffic
  /** The policy as processes have it now, as `--policy` takes it; undefined if none says so. */
  readonly inForce: string | undefined
}

/** undefined if nothing is recorded at all. Throws a UsageError for a name that was not recorded, and a StoreError. */
export async function readRecorded(
  name: string,
  { redis, reader }: Session,
  prefix: string,
): Promise<Recorded | undefined> {
  const sink = redisSink({ redis, prefix })
  try {
    const all = await readTraffic(sink, 0)
    if (all.length === 0) return undefined
    const traffic = chosen(name, all)
    const processes = await reader.processes()
    const policies = processes
      .flatMap(({ limiters }) => limiters)
      .flatMap((limiter) => (limiter.name === traffic.limiter ? (limiter.policies ?? []) : []))
    const data = policies.find((policy) => policy.name === traffic.policy)?.data
    return { name: nameOf(traffic), traffic, inForce: data ? shortText(data) : undefined }
  } finally {
    await sink.close?.()
  }
}

function chosen(name: string, all: readonly RecordedTraffic[]): RecordedTraffic {
  const found = all.filter((each) => each.limiter === name || nameOf(each) === name)
  const [only] = found
  if (only !== undefined && found.length === 1) return only
  const names = (only === undefined ? all : found).map(nameOf)
  const near = only === undefined ? didYouMean(name, names) : ''
  const which = near || ` one of ${names.slice(0, 10).join(', ')}`
  throw new UsageError(`--recorded ${name}: expected a limiter, or a limiter and its policy,${which}`)
}

const nameOf = ({ limiter, policy }: RecordedTraffic): string => `${limiter}.${policy}`

/** undefined for a strategy that a replay cannot judge, such as `concurrency`. */
function shortText(data: PolicyData): string | undefined {
  try {
    return textOf(data)
  } catch {
    return undefined
  }
}
