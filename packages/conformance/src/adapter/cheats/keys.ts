import { expect } from '@jest/globals'
import { exchange, headsOf, rawRequest } from '../raw.ts'
import type { Scenario } from '../scenario.ts'
import { type PolicyOptions, twoIn10s, type World, xLimit, xRemaining } from '../world.ts'
import { hostileTexts } from './texts.ts'

/** The text that a request chooses by its number: no field could carry it. */
function chosen(view: { header(name: string): string | undefined }): string {
  return hostileTexts[Number(view.header('x-key'))] ?? ''
}

const asked = hostileTexts.map((_, i) => {
  return rawRequest({ by: String(i), connection: i === hostileTexts.length - 1 ? 'close' : 'keep-alive' })
})

/** Every text asks three times: each meets its own two admissions, and never an error. */
async function countsEach(world: World, options: PolicyOptions | ReturnType<World['office']>): Promise<void> {
  const client = await world.limited(options)
  for (const remaining of ['1', '0', undefined]) {
    const row = remaining === undefined ? [429, '2', '0'] : [200, '2', remaining]
    const heads = headsOf(await exchange(client, asked.join('')))
    const rows = heads.map(({ status, fields }) => [status, fields[xLimit], fields[xRemaining]])
    expect(rows).toEqual(hostileTexts.map(() => row))
  }
}

/** Clients whose text becomes a key. */
export const keyCheats: readonly Scenario[] = [
  {
    title: '36: any text is a key with a count of its own',
    async run(world) {
      await countsEach(world, world.tickets({ key: (_, view) => chosen(view) }))
      expect(world.keys).toBe(hostileTexts.length)
    },
  },
  {
    title: '36: so it is as a member of a list',
    async run(world) {
      await countsEach(world, world.tickets({ key: (_, view) => ['visitor', chosen(view), chosen(view)] }))
      expect(world.keys).toBe(hostileTexts.length)
    },
  },
  {
    title: '36: so it is for each of several policies',
    async run(world) {
      const key = (_: object, view: Parameters<typeof chosen>[0]) => {
        return { visitor: chosen(view), attraction: chosen(view) }
      }
      await countsEach(world, world.office({ policies: { visitor: twoIn10s, attraction: twoIn10s }, key }))
      expect(world.keys).toBe(2 * hostileTexts.length)
    },
  },
]
