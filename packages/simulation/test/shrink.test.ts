import { expect, it } from '@jest/globals'
import { singleFaults } from '../src/faults/list.ts'
import { drawPlan } from '../src/history/draw.ts'
import type { Plan } from '../src/history/plan.ts'
import { bundleCode } from '../src/inside/bundle.ts'
import { playMany } from '../src/many.ts'
import { type Played, Player } from '../src/player.ts'
import { shorten } from '../src/shrink.ts'
import { inOwnTurn } from '../src/world/microtasks.ts'

/** A history of these calls and faults, which breaks something where one call and one fault are in it. */
function brokenBy(call: number, fault: number, played: { count: number }) {
  return (plan: Plan): Pick<Played, 'plan' | 'breaches'> => {
    played.count++
    const isBroken =
      plan.calls.some(({ nth }) => nth === call) && plan.faults.some(({ atUs }) => atUs === fault)
    return { plan, breaches: isBroken ? [{ invariant: 'it holds', said: 'it does not' }] : [] }
  }
}

it('what a failing history does not need is left out', () => {
  const drawn = drawPlan(3)
  const faults = [10, 20, 30].map((atUs) => ({ kind: 'flush', atUs }) as const)
  const plan = { ...drawn, faults }
  const call = drawn.calls[3]?.nth ?? -1
  const played = { count: 0 }
  const play = brokenBy(call, 20, played)
  const short = shorten(play(plan), play as (plan: Plan) => Played)
  expect(short.calls.map(({ nth }) => nth)).toEqual([call])
  expect(short.faults.map(({ atUs }) => atUs)).toEqual([20])
  expect(played.count).toBeLessThan(200)
})

it('a fault in the code leaves a short history that shows it', async () => {
  const fault = singleFaults.find(({ name }) => name === 'objected charges stay')
  const player = new Player(await bundleCode(fault), { serverText: await bundleCode() })
  const broken = await playMany(player, { from: 1, count: 3000, untilMs: Number.POSITIVE_INFINITY })
  if (broken === undefined) throw new Error('no history has noticed it')
  const short = await inOwnTurn(() => shorten(broken, (plan) => player.plan(plan)))
  expect(short.calls.length).toBeLessThan(broken.plan.calls.length)
  const again = await inOwnTurn(() => player.plan(short))
  expect(again.breaches[0]?.invariant).toBe(broken.breaches[0]?.invariant)
})
