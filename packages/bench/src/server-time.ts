import type { Redis } from 'ioredis'
import { type CallKind, contenderOf, names } from './calls.ts'
import { type Pace, race } from './rounds.ts'
import { type Section, sectionOf } from './section.ts'

/** The server's own time for each kind of call. */
export function serverTime(client: Redis, kinds: readonly CallKind[], pace: Pace): Promise<Section> {
  const about = { id: 'server-time', title: 'Server time of one call, 64 at once' }
  return serverTimeOf(client, kinds, { ...about, pace, ratiosTo: [names.script, names.gcra] })
}

interface ServerTime {
  readonly id: string
  readonly title: string
  readonly ratiosTo: readonly string[]
  readonly pace: Pace
  /** @default 64 */
  readonly atOnce?: number
}

/** As its commandstats count it: no network, no client. */
export async function serverTimeOf(
  client: Redis,
  kinds: readonly CallKind[],
  { pace, atOnce = 64, ...about }: ServerTime,
): Promise<Section> {
  const contenders = kinds.map((kind) => contenderOf(kind, atOnce))
  const laps = await race(contenders, pace, async (contender, times) => {
    await client.config('RESETSTAT')
    await contender.run(times)
    const us = usOf(await client.info('commandstats'), contender.kind.command)
    return us / contender.askedIn(times)
  })
  return sectionOf({ ...about, unit: 'µs' }, laps)
}

/** All calls of a command together: one may decide about many checks, and a refusal may need none. */
function usOf(commandstats: string, command: string): number {
  const found = new RegExp(`^cmdstat_${command}:calls=\\d+,usec=(\\d+)`, 'm').exec(commandstats)
  return Number(found?.[1] ?? 0)
}
