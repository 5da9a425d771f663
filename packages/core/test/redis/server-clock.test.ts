import { describe, expect, it } from '@jest/globals'
import { ServerClock } from '../../src/redis/server-deadlines.ts'

const second = 1_000_000

/** When a call was sent, how long it took there, and the reply back; and by how much the server's clock was ahead of ours. */
type Reply = readonly [sentUs: number, thereUs: number, backUs: number, aheadUs: number]

function clockOf(...replies: readonly Reply[]): ServerClock {
  const clock = new ServerClock()
  for (const [sentUs, thereUs, backUs, aheadUs] of replies) {
    const ranUs = sentUs + thereUs
    clock.observe(ranUs + aheadUs, sentUs, ranUs + backUs)
  }
  return clock
}

describe("the server's clock", () => {
  it('is not known before the first reply', () => {
    expect(clockOf().known).toBe(false)
    expect(clockOf([0, 7, 7, 0]).known).toBe(true)
  })

  // biome-ignore format: a table
  it.each<[string, readonly Reply[], leastUs: number, mostUs: number]>([
    // what                                           replies: sent, there, back, ahead                                       ahead: no less, no more
    ['is known as well as the only reply says',       [[0, 50, 20, 900]],                                                     880, 950],
    ['was never later than a slow first call says',   [[0, 400_000, 20, 900]],                                                880, 400_900],
    ['is known by the quickest way of each direction, in any order',
                                                      [[0, 50, 90, 900], [10, 70, 20, 900], [20, 60, 30, 900]],               880, 950],
    ['may be behind',                                 [[0, 50, 20, -900]],                                                    -920, -850],
    ['is the same for ten seconds',                   [[0, 5, 2, 900], [10 * second, 50, 20, 900]],                           898, 905],
    ['is the same for another ten, as replies of the ten before still count',
                                                      [[0, 5, 2, 900], [10 * second + 1, 50, 20, 900], [20 * second, 60, 30, 900]], 898, 905],
    ['is read anew after that, from the best since',  [[0, 5, 2, 900], [10 * second + 1, 50, 20, 900], [15 * second, 40, 30, 900], [20 * second + 2, 60, 60, 900]], 880, 940],
    ['forgets what nothing has confirmed',            [[0, 5, 2, 900], [10 * second + 1, 50, 20, 900], [20 * second + 2, 60, 60, 900]], 880, 950],
    ['was set ahead: no measure before that counts',  [[0, 5, 2, 900], [10, 50, 20, 5 * second]],                             5 * second - 20, 5 * second + 50],
    ['was set back: no measure before that counts',   [[0, 5, 2, 900], [10, 50, 20, -5 * second]],                            -5 * second - 20, -5 * second + 50],
    ['was set by less than a reply can show',         [[0, 5, 2, 900], [10, 50, 20, 915]],                                    898, 905],
    ['was set, and counts from there',                [[0, 5, 2, 900], [9 * second, 50, 20, 5 * second], [11 * second, 60, 30, 5 * second], [20.5 * second, 70, 40, 5 * second]],
                                                                                                                              5 * second - 20, 5 * second + 50],
  ])('%s', (_what, replies, leastUs, mostUs) => {
    const clock = clockOf(...replies)
    expect(clock.earliest(5 * second)).toBe(5 * second + leastUs)
    expect(clock.latest(5 * second)).toBe(5 * second + mostUs)
  })

  it('is never earlier than the earliest nor later than the latest, however slow replies are', () => {
    const ways = Array.from({ length: 200 }, (_, i) => (i * 7919) % 997)
    const clock = new ServerClock()
    for (const [i, thereUs] of ways.entries()) {
      const ranUs = i * 100_000 + thereUs
      clock.observe(ranUs + 900, i * 100_000, ranUs + (ways[199 - i] ?? 0))
      expect(clock.earliest(0)).toBeLessThanOrEqual(900)
      expect(clock.latest(0)).toBeGreaterThanOrEqual(900)
    }
  })
})
