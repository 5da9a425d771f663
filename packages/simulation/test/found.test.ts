import { beforeAll, describe, expect, it } from '@jest/globals'
import { singleFaults } from '../src/faults/list.ts'
import { foundHistories } from '../src/found.ts'
import { bundleCode } from '../src/inside/bundle.ts'
import { Player } from '../src/player.ts'
import { inOwnTurn } from '../src/world/microtasks.ts'

let text: string

beforeAll(async () => {
  text = await bundleCode()
})

const ofProduct = foundHistories().filter(({ fault }) => fault !== undefined)

it.each(foundHistories())('$name is mended: $found', async ({ plan }) => {
  const { breaches } = await inOwnTurn(() => new Player(text).plan(plan))
  expect(breaches).toEqual([])
})

describe.each(ofProduct)('$name', ({ plan, invariant, fault }) => {
  it('is noticed where it is put in again', async () => {
    const changed = await bundleCode(singleFaults.find(({ name }) => name === fault))
    const { breaches } = await inOwnTurn(() => new Player(changed, { serverText: text }).plan(plan))
    expect(breaches.map((breach) => breach.invariant)).toContain(invariant)
  })
})
