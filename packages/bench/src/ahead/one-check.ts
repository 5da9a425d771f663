import type { Bench } from '../bench.ts'
import { Helper } from '../helper.ts'
import { above, race } from '../rounds.ts'
import { named, type Section, sectionOf } from '../section.ts'
import type { OneDuties } from './one-child.ts'

export const oneCheckNames = {
  memory: 'in memory, the whole check',
  inHand: 'units in hand, beyond memory',
  calls: '20 ms ahead with its calls to Redis, beyond memory',
  redis: 'each check asks Redis, beyond memory',
}

/** Each in a process of its own, as in an application: a Redis client would affect how the compiler sees the memory store. */
export async function oneCheck({ url, pace }: Bench): Promise<Section> {
  const asked = [
    { name: oneCheckNames.memory, args: [] },
    { name: oneCheckNames.inHand, args: [url, '1m'] },
    { name: oneCheckNames.calls, args: [url, '20ms'] },
    { name: oneCheckNames.redis, args: [url] },
  ]
  const contenders = asked.map(({ name, args }) => {
    const helper = new Helper<OneDuties>('ahead/one-child.js', args)
    return { name, helper, run: async (times: number) => void (await helper.ask('turn', times)) }
  })
  try {
    const laps = await race(contenders, pace, ({ helper }, times) => helper.ask('turn', times))
    const base = named(laps, oneCheckNames.memory)
    const about = {
      id: 'ahead-check',
      title: 'What units in hand add to an admitted check',
      unit: 'µs',
    } as const
    const added = laps.slice(1).map((each) => above(each, base))
    return sectionOf({ ...about, ratiosTo: [] }, [base, ...added])
  } finally {
    for (const { helper } of contenders) await helper.end()
  }
}
