import { describe, expect, it } from '@jest/globals'
import { fixedWindow, gcra, type Policy, slidingWindowLog } from '@sluice/core'
import { checkOf, Process, Server, seeded, VirtualTime } from './virtual.ts'

const aheadUs = 20_000
const warmUpS = 2
const seconds = 6
/** Units a second that each of eight processes asks for, of 1,000 that the policy allows. */
const demands = [1600, 700, 350, 200, 100, 40, 20, 10]

/** What each process was admitted in a second on average, and how often the server was called in one. */
async function usedUnder(policy: Policy): Promise<{ admitted: readonly number[]; calls: number }> {
  const random = seeded(7)
  const time = new VirtualTime()
  const server = new Server(time)
  const trouble = { latencyUs: () => 100 + Math.floor(random() * 200), losesReply: () => false }
  const startUs = time.nowUs + warmUpS * 1e6
  const admitted = demands.map(() => 0)
  for (const [i, demand] of demands.entries()) {
    const process = new Process(server, aheadUs, { trouble, offsetUs: i * 1e9 })
    const arrive = () => {
      process.ask([checkOf(policy, aheadUs)], (atUs) => {
        if (atUs >= startUs) admitted[i] = (admitted[i] ?? 0) + 1 / seconds
      })
      time.at(time.nowUs + Math.floor((-Math.log(1 - random()) * 1e6) / demand), arrive)
    }
    time.at(time.nowUs + Math.floor(random() * 1e5), arrive)
  }
  await time.until(startUs)
  const before = server.calls
  await time.until(startUs + seconds * 1e6)
  return { admitted, calls: (server.calls - before) / seconds }
}

describe('eight uneven processes that ask for three times as much as there is', () => {
  it.each([
    ['slidingWindowLog', slidingWindowLog({ limit: 1000, window: '1s' })],
    ['gcra', gcra({ count: 1000, period: '1s' })],
  ])('use at least 97 %% of %s by a third of the calls, and the quiet ones get theirs', async (_, policy) => {
    const { admitted, calls } = await usedUnder(policy)
    const all = admitted.reduce((sum, each) => sum + each, 0)
    expect(all).toBeGreaterThanOrEqual(0.97 * policy.limit)
    // The policy itself allows one limit more over the whole time.
    expect(all).toBeLessThanOrEqual(policy.limit * (1 + 1 / seconds))
    const asked = demands.reduce((sum, each) => sum + each)
    expect(calls).toBeLessThan(asked / 3)
    // Each gets its part by what it asks for, or an equal part if that is less.
    for (const [i, demand] of demands.entries()) {
      const part = Math.min(demand / asked, 1 / demands.length) * policy.limit
      expect(admitted[i]).toBeGreaterThan(0.9 * part - 3)
    }
  })
})

describe('units in hand', () => {
  it.each([
    ['slidingWindowLog', slidingWindowLog({ limit: 1000, window: '1s' })],
    ['fixedWindow', fixedWindow({ limit: 1000, window: '200ms' })],
  ])('of %s end in time where a clock runs slower than the server’s', async (_, policy) => {
    const time = new VirtualTime()
    const server = new Server(time)
    const trouble = { latencyUs: () => 0, losesReply: () => false }
    const process = new Process(server, aheadUs, { trouble, offsetUs: 0, drift: -500e-6 })
    const calls: number[] = []
    const ask = (atUs: number) =>
      time.at(atUs, () => {
        const before = server.calls
        process.ask([checkOf(policy, aheadUs)], () => calls.push(server.calls - before))
      })
    const startUs = time.nowUs
    for (let i = 0; i < 8; i++) ask(startUs)
    await time.until(startUs)
    // The last of them has taken some ahead: used until their time has passed, and not longer.
    for (const afterUs of [aheadUs / 2, aheadUs]) ask(startUs + afterUs)
    await time.until(startUs + aheadUs)
    expect(calls.slice(-2)).toEqual([0, expect.any(Number)])
    expect(calls.at(-1)).toBeGreaterThan(0)
  })

  it('are renewed before they end where there is room, so that nobody waits, and not once nobody asks', async () => {
    const policy = gcra({ count: 100_000, period: '1s' })
    const random = seeded(3)
    const time = new VirtualTime()
    const server = new Server(time)
    const trouble = { latencyUs: () => 1000 + Math.floor(random() * 1000), losesReply: () => false }
    const process = new Process(server, aheadUs, { trouble, offsetUs: 0 })
    const [warmUs, endUs] = [time.nowUs + 200_000, time.nowUs + 1_200_000]
    let asked = 0
    let waited = 0
    const arrive = () => {
      const answer = process.ask([checkOf(policy, aheadUs)], () => {})
      if (time.nowUs >= warmUs) {
        asked++
        if (answer !== 'done') waited++
      }
      const nextUs = time.nowUs + Math.floor(-Math.log(1 - random()) * 1000)
      if (nextUs < endUs) time.at(nextUs, arrive)
      return answer
    }
    time.at(time.nowUs, arrive)
    await time.until(endUs + 3 * aheadUs)
    expect(asked).toBeGreaterThan(900)
    expect(waited / asked).toBeLessThan(0.01)
    // Not much more than a take and what is given back of it in each such time.
    expect(server.calls).toBeLessThan((3.5 * (endUs - (warmUs - 200_000))) / aheadUs)
    const { calls } = server
    await time.until(endUs + 10 * aheadUs)
    expect(server.calls).toBe(calls)
  })

  it('go back when the process closes, those that are still under way too', async () => {
    const policy = slidingWindowLog({ limit: 50_000, window: '10m' })
    const random = seeded(5)
    const time = new VirtualTime()
    const server = new Server(time)
    const trouble = { latencyUs: () => 1000 + Math.floor(random() * 1000), losesReply: () => false }
    let admitted = 0
    let closed = 0
    for (let i = 0; i < 30; i++) {
      const process = new Process(server, aheadUs, { trouble, offsetUs: 0 })
      const closesUs = time.nowUs + 100_000 + Math.floor(random() * 40_000)
      const arrive = () => {
        time.at(time.nowUs + Math.floor(random() * 1000), time.nowUs < closesUs ? arrive : close)
        return process.ask([checkOf(policy, aheadUs)], () => admitted++)
      }
      const close = () => void process.units.close().then(() => closed++)
      time.at(time.nowUs, arrive)
    }
    await time.until(time.nowUs + 300_000)
    expect(closed).toBe(30)
    const [row] = server.answer({
      checks: [checkOf(policy, aheadUs)],
      charge: 'all-or-nothing',
      maxWaitUs: 0,
      take: false,
    })
    expect(50_000 - (row?.remaining ?? 0)).toBe(admitted)
  })
})
