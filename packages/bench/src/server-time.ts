import type { Redis } from 'ioredis'
import { type CallKind, contenderOf } from './calls.ts'
import { type Pace, race } from './rounds.ts'
import { type Section, sectionOf } from './section.ts'

/** The server's own time for a call as its commandstats count it: no network, no client. */
export async function serverTime(
  client: Redis,
  kinds: readonly CallKind[],
  about: Pick<Section, 'id' | 'title' | 'ratiosTo'> & { readonly pace: Pace },
): Promise<Section> {
  const contenders = kinds.map((kind) => contenderOf(kind, 64))
  const { pace, ...section } = about
  const laps = await race(contenders, pace, async (contender, times) => {
    await client.config('RESETSTAT')
    await contender.run(times)
    return usPerCall(await client.info('commandstats'), contender.kind.command)
  })
  return sectionOf({ ...section, unit: 'µs' }, laps)
}

function usPerCall(commandstats: string, command: string): number {
  const found = new RegExp(`^cmdstat_${command}:.*usec_per_call=([\\d.]+)`, 'm').exec(commandstats)
  if (found === null) throw new Error(`The server has counted no ${command}.`)
  return Number(found[1])
}
