import { describe, expect, test } from '@jest/globals'
import { type Page, reads, textsOf } from '@sluice/browser-test'
import { createLimiter, fixedWindow, gcra, slidingWindowLog, uniform } from '@sluice/core'
import { awayStore, limiterOf, opened, recording, startReal } from './real.ts'

startReal()

const chartWords = (page: Page, row: number) =>
  page.locator(`.row:nth-child(${row}) .chart`).getAttribute('aria-label')

/** In the lower half of the chart, below the lane of the window. Runs in the page. */
const pixelsOfAdmittedToRefused = `(() => {
  const chart = document.querySelector('.chart canvas')
  const top = Math.ceil(chart.height * 0.47)
  const copy = document.createElement('canvas')
  copy.width = chart.width
  copy.height = chart.height - top
  const context = copy.getContext('2d', { willReadFrequently: true })
  const colorOf = (token) => {
    context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(token)
    context.fillRect(0, 0, 1, 1)
    return [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)].join()
  }
  const [up, down] = ['--admitted-mark', '--refused-mark'].map(colorOf)
  context.clearRect(0, 0, copy.width, copy.height)
  context.drawImage(chart, 0, -top)
  const { data } = context.getImageData(0, 0, copy.width, copy.height)
  const counts = { [up]: 0, [down]: 0 }
  for (let at = 0; at < data.length; at += 4) {
    const color = [data[at], data[at + 1], data[at + 2]].join()
    if (color in counts) counts[color]++
  }
  return counts[up] / counts[down]
})()`

describe('what the page says of real limiters', () => {
  test('each of a thousand policies has its own refusals, and none is in a row of others', async () => {
    const { seen } = recording()
    const names = Array.from({ length: 1000 }, (_, place) => `limiter-${place}`)
    const policy = fixedWindow({ limit: 1, window: '1h' })
    for (const name of names) {
      const limiter = createLimiter({ name, policy, observers: [seen] })
      for (let i = 0; i < 3; i++) await limiter.check('bob')
      await limiter.close()
    }
    const page = await opened({ recorder: seen })
    await reads(page, '#policy-count', '50 of 1,000')
    await reads(page, '#refused', '2,000')
    expect(new Set(await page.locator('.row .share .value').allTextContents())).toEqual(new Set(['66.7']))
    expect(await textsOf(page, '.row .limiter')).not.toContain('other')
  })

  test('a policy with many keys shows its fullest key against the limit, and comes first by it', async () => {
    const { seen } = recording()
    const each = limiterOf('each', { visitor: slidingWindowLog({ limit: 10, window: '1h' }) }, seen)
    const all = limiterOf('all', { everybody: slidingWindowLog({ limit: 100, window: '1h' }) }, seen)
    const page = await opened({ recorder: seen, limiters: [all, each] })
    for (let i = 0; i < 40; i++) await all.check('everybody')
    for (let visitor = 0; visitor < 20; visitor++) await each.check(`v${visitor}`)
    for (let i = 0; i < 8; i++) await each.check('bob')
    // 28 units in all; bob alone has 8.
    await reads(page, '.row .peak .value', '40', '8')
    await reads(page, '.row .peak .unit', 'of 100', 'of 10')
    expect(await chartWords(page, 2)).toContain('fullest key 8 of 10.')
    await page.locator('#order').selectOption('nearest to its limit')
    await reads(page, '.row .limiter', 'each', 'all')
  })

  test('admitted and refused units have one scale', async () => {
    const { seen } = recording()
    const gift = limiterOf('gift', { visitor: fixedWindow({ limit: 15, window: '1h' }) }, seen)
    for (let i = 0; i < 20; i++) await gift.check('bob')
    const page = await opened({ recorder: seen, limiters: [gift] })
    await reads(page, '#refused', '5')
    // Whichever seconds they fell into, fifteen fill three times as many pixels as five.
    const ratio = await page.evaluate<number>(pixelsOfAdmittedToRefused)
    expect(ratio).toBeGreaterThan(2.5)
    expect(ratio).toBeLessThan(3.5)
  })

  test('a rate is drawn over its own window: it refuses at the line and not at half of it', async () => {
    const { seen } = recording()
    const api = limiterOf('api', { client: gcra({ count: 100, period: '1m' }) }, seen)
    for (let i = 0; i < 120; i++) await api.check('bob')
    const page = await opened({ recorder: seen, limiters: [api] })
    await reads(page, '.row .peak .unit', 'of 100')
    expect(await chartWords(page, 1)).toContain('most in 1 min 1')
    const most = Number((await textsOf(page, '.row .peak .value'))[0])
    expect(most).toBeGreaterThanOrEqual(100)
    expect(most).toBeLessThan(120)
  })

  test('policies without requests in the time shown are folded away, and come back where they are asked for', async () => {
    const { seen, ahead } = recording()
    const zoo = limiterOf('zoo', { visitor: uniform({ interval: '1h' }) }, seen)
    for (let i = 0; i < 16; i++) {
      const crowd = limiterOf(`crowd ${i}`, { visitor: uniform({ interval: '1h' }) }, seen)
      await crowd.check('bob')
    }
    await seen.flush()
    ahead(400)
    await zoo.check('bob')
    const page = await opened({ recorder: seen, limiters: [zoo] })
    await reads(page, '.row .limiter', 'zoo')
    await reads(page, '#idle-words', '16 policies without requests in 5 min')
    expect(await page.locator('.row.dense, .rows.dense').count()).toBe(0)
    await page.locator('#show-idle').click()
    await reads(page, '#policy-count', '17')
    expect(await page.locator('.row').count()).toBe(17)
    await page.locator('#show-idle').click()
    await reads(page, '.row .limiter', 'zoo')
    await page.locator('.segments label:has(input[value="900"])').click()
    await reads(page, '#policy-count', '17')
    expect(await page.locator('#idle').isVisible()).toBe(false)
  })

  test('the totals say what they were in the time before', async () => {
    const { seen, ahead } = recording()
    const gift = limiterOf('gift', { visitor: fixedWindow({ limit: 3, window: '1h' }) }, seen)
    for (let i = 0; i < 7; i++) await gift.check('bob')
    await seen.flush()
    ahead(400)
    for (let i = 0; i < 2; i++) await gift.check('carol')
    const page = await opened({ recorder: seen, limiters: [gift] })
    await reads(page, '#admitted', '2')
    await reads(page, '#admitted-before', '3 in the 5 min before')
    await reads(page, '#refused-before', '4 in the 5 min before')
    await page.locator('.segments label:has(input[value="3600"])').click()
    await reads(page, '#admitted', '5')
    expect(await page.locator('#admitted-before').textContent()).toBe('')
  })

  test('hatching marks the seconds that were decided without the store, and no second after them', async () => {
    const { seen, ahead } = recording()
    const { store } = awayStore()
    const policies = { default: slidingWindowLog({ limit: 100, window: '10s' }) }
    const limiter = limiterOf('tiger', policies, { observer: seen, store })
    const page = await opened({ recorder: seen, limiters: [limiter] })
    const firstMs = seen.nowMs()
    for (let i = 0; i < 30; i++) await limiter.check('bob')
    const lastMs = seen.nowMs()
    await seen.flush()
    ahead(16)
    await reads(page, '#local', '30')
    await reads(page, '#legend li:last-child', 'decided without the store')
    const marks = await page
      .locator('#axis line')
      .evaluateAll((lines) =>
        lines.map((line) =>
          ['x1', 'x2'].map((x) => (Number.parseFloat(line.getAttribute(x) ?? '') * 300) / 100),
        ),
      )
    // One run of the seconds in which the thirty were decided.
    const seconds = Math.floor(lastMs / 1000) - Math.floor(firstMs / 1000) + 1
    expect(marks.map(([from = 0, to = 0]) => Math.round(to - from))).toEqual([seconds])
  })

  test('the end of an outage says at what time the counts are exact again, by the clock of who looks', async () => {
    const { seen } = recording()
    const { store, comeBack } = awayStore()
    const policies = { default: slidingWindowLog({ limit: 100, window: '20s' }) }
    const limiter = limiterOf('tiger', policies, { observer: seen, store })
    const page = await opened({ recorder: seen, limiters: [limiter] }, { timezoneId: 'Asia/Kathmandu' })
    for (let i = 0; i < 30; i++) await limiter.check('bob')
    await reads(page, '#events .title', 'Redis does not answer')
    comeBack()
    await reads(page, '#events .title', 'Redis answers again', 'Redis does not answer')
    const back = await page.locator('#events time').first().getAttribute('datetime')
    // In Kathmandu it is 5 h 45 min later, in summer too.
    const exactMs = Math.ceil(Date.parse(back ?? '') / 1000 + 20) * 1000
    const exact = new Date(exactMs + (5 * 60 + 45) * 60_000).toISOString().slice(11, 19)
    const [words] = await textsOf(page, '#events p')
    expect(words?.replace(/^Away for \d s, /, '')).toMatch(
      new RegExp(`^30 decided locally. Counts exact again at ${exact}(?: on \\d+ \\w+)?.$`),
    )
  })
})
