import { describe, expect, it } from '@jest/globals'
import { ServerClock } from '../../src/redis/server-clock.ts'

const second = 1_000_000

/** A clock that has seen replies: when each call was sent, and by how much the server's TIME was ahead of that. */
function clockOf(...replies: readonly (readonly [sentUs: number, aheadUs: number])[]): ServerClock {
  const clock = new ServerClock()
  for (const [sentUs, aheadUs] of replies) clock.observe(sentUs, sentUs + aheadUs)
  return clock
}

describe("the server's clock", () => {
  it('is not known before the first reply', () => {
    expect(clockOf().known).toBe(false)
    expect(clockOf([0, 7]).known).toBe(true)
  })

  // biome-ignore format: a table
  it.each<[string, readonly (readonly [sentUs: number, aheadUs: number])[], number]>([
    // what                                          replies: sent, ahead                                               ahead in the end
    ['is as far ahead as the only reply says',       [[0, 900]],                                                         900],
    ['is that of the quickest reply, in any order',  [[0, 900], [10, 400], [20, 700]],                                   400],
    ['is that of the quickest reply, the first too', [[0, 400], [10, 900], [20, 700]],                                   400],
    ['may be behind',                                [[0, -300], [10, -900], [20, 50]],                                 -900],
    ['is the same for ten seconds',                  [[0, 400], [10 * second, 900]],                                     400],
    ['is the same for another ten, as replies of the ten before still count',
                                                     [[0, 400], [10 * second + 1, 900], [20 * second, 700]],             400],
    ['is read anew after that, from the quickest since',
                                                     [[0, 400], [10 * second + 1, 900], [15 * second, 600], [20 * second + 2, 800]], 600],
    ['forgets what nothing has confirmed',           [[0, 400], [10 * second + 1, 900], [20 * second + 2, 950]],         900],
    ['takes a quicker reply at once',                [[0, 400], [10 * second + 1, 900], [10 * second + 2, 300]],         300],
  ])('%s', (_what, replies, aheadUs) => {
    expect(clockOf(...replies).at(5 * second)).toBe(5 * second + aheadUs)
  })

  it('is known by one reply alone once it has moved', () => {
    const clock = clockOf([0, 400], [10, 300])
    clock.restart(second, second + 5 * second)
    expect(clock.at(0)).toBe(5 * second)
    clock.observe(2 * second, 2 * second + 6 * second)
    expect(clock.at(0)).toBe(5 * second)
    // Ten seconds are counted from there.
    for (const sentUs of [11 * second, 21.5 * second]) clock.observe(sentUs, sentUs + 7 * second)
    expect(clock.at(0)).toBe(5 * second)
    clock.observe(32 * second, 39 * second)
    expect(clock.at(0)).toBe(7 * second)
  })
})
