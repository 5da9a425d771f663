import { beforeAll, expect, it } from '@jest/globals'
import { drawPlan } from '../src/history/draw.ts'
import { bundleCode } from '../src/inside/bundle.ts'
import { Player } from '../src/player.ts'
import { showHistory } from '../src/show.ts'
import { inOwnTurn } from '../src/world/microtasks.ts'

let text: string
/** What each of the seeds gave first. */
let first: readonly string[]

beforeAll(async () => {
  text = await bundleCode()
  first = await logsOf(seeds)
})

/** All that happened in these histories, to the microsecond. */
function logsOf(seeds: readonly number[], { alwaysFresh = false } = {}): Promise<readonly string[]> {
  const player = new Player(text, { isLogged: true, alwaysFresh })
  return inOwnTurn(() => seeds.map((seed) => showHistory(player.seed(seed))))
}

const many = Array.from({ length: 500 }, (_, nth) => 1 + nth)
const queued = many.filter((seed) => drawPlan(seed).scenario.queue !== undefined)
/** Some of all kinds, and some with a queue. */
const seeds = [...many.filter((seed) => seed % 14 === 1), ...queued.slice(0, 4)]

it('the same seed gives the same history, to the microsecond', async () => {
  expect(await logsOf(seeds)).toEqual(first)
})

it('a history does not depend on those that were played before it', async () => {
  const reversed = await logsOf([...seeds].reverse())
  expect([...reversed].reverse()).toEqual(first)
})

it('processes that share one instance of the code do what those do that have one each', async () => {
  expect(await logsOf(seeds, { alwaysFresh: true })).toEqual(first)
})

it('different seeds give different histories', () => {
  expect(new Set(first).size).toBe(seeds.length)
})
