import { describe, expect, it } from '@jest/globals'
import { memoryUnderTest } from '@sluice/conformance'
import { baseUs } from '@sluice/conformance/internal'
import { redisUnderTest } from '@sluice/faults'
import { socket } from '@sluice/faults/redis-socket'
import { type Check, fixedWindow } from '../../src/index.ts'
import { checkOf, question } from './real-store.ts'

const hourUs = 3600e6
const dayUs = 24 * hourUs
const policies = {
  day: fixedWindow({ limit: 5, every: 'day', timeZone: 'Europe/Vienna' }),
  month: fixedWindow({ limit: 5, every: 'month', timeZone: 'Europe/Vienna' }),
}

/** What the first checks of a key say on a server; `setClock` sets its clock, `aheadUs` puts that ahead of ours. */
async function asked(
  time: Parameters<typeof redisUnderTest>[1],
  { check, atUs, between }: { check: Check; atUs: readonly number[]; between?: Check },
): Promise<(readonly [remaining: number, resetAfterUs: number])[]> {
  const { store, setClock, close } = await redisUnderTest(socket, time)
  const seen: (readonly [number, number])[] = []
  for (const us of atUs) {
    await setClock(us)
    const rows = await store.answer(question(check))
    for (const { remaining, resetAfterUs } of rows ?? []) seen.push([remaining, resetAfterUs])
    if (between !== undefined) await store.answer(question(between))
  }
  await close()
  return seen
}

/** What memory says, whose clock is the one that counts. */
async function right(check: Check, atUs: readonly number[]): Promise<(readonly [number, number])[]> {
  const { store, setClock } = await memoryUnderTest()
  const seen: (readonly [number, number])[] = []
  for (const us of atUs) {
    await setClock(us)
    const rows = await store.answer(question(check))
    for (const { remaining, resetAfterUs } of rows ?? []) seen.push([remaining, resetAfterUs])
  }
  return seen
}

describe.each(Object.entries(policies))('a server with a clock of its own, each %s', (_every, policy) => {
  // biome-ignore format: a table
  it.each([
    ['a second ahead',    1_000_000],
    ['a second behind',  -1_000_000],
    ['an hour ahead',     hourUs],
    ['an hour behind',   -hourUs],
    ['20 hours ahead',    20 * hourUs],
    ['20 hours behind',  -20 * hourUs],
  ])('counts in its own windows from the first check on: %s', async (_what, byUs) => {
    // Around midnight in Vienna, at the end of the month.
    const aroundUs = [-hourUs, -1, 0, 1].map((us) => Date.parse('2023-11-30T23:00Z') * 1000 + us)
    for (const atUs of [aroundUs, aroundUs.slice(2)]) {
      const check = checkOf(policy)
      const local = atUs.map((us) => us - byUs)
      expect(await asked({ aheadUs: () => byUs }, { check, atUs: local })).toEqual(await right(check, atUs))
    }
  })

  // biome-ignore format: a table
  it.each([
    ['three days ahead',   3 * dayUs],
    ['three days behind', -3 * dayUs],
    ['a year ahead',       366 * dayUs],
    ['a year behind',     -366 * dayUs],
  ])('ends a window where it should, from the second check on: %s', async (_what, byUs) => {
    const atUs = [0, 1, 2].map((us) => baseUs + byUs + us)
    const check = checkOf(policy)
    const [first, ...others] = await asked({ aheadUs: () => byUs }, { check, atUs: [0, 1, 2].map((us) => baseUs + us) })
    const [, ...expected] = await right(check, atUs)
    expect(others).toEqual(expected)
    expect(first?.[0]).toBe(4)
    expect(first?.[1]).toBeLessThanOrEqual(2 * (policy.windowMs ?? 0) * 1000)
  })
})

describe('a server whose clock is set by days', () => {
  // biome-ignore format: a table
  it.each([
    ['on',    40 * dayUs],
    ['back', -40 * dayUs],
  ])('counts in its own windows: %s', async (_what, byUs) => {
    const check = checkOf(policies.day)
    const between = checkOf(policies.day)
    // The first is asked before the server's clock is known at all. A clock that was set on is seen as the call comes too late.
    const atUs = [baseUs, baseUs + byUs, baseUs + byUs + 1, baseUs + byUs + 2]
    const seen = await asked({ deadlineUs: 5_000_000 }, { check, atUs, between })
    const expected = await right(checkOf(policies.day), atUs.slice(1))
    expect(seen.slice(2).map(([, resetAfterUs]) => resetAfterUs)).toEqual(
      expected.slice(1).map(([, resetAfterUs]) => resetAfterUs),
    )
  })
})
