import { describe, expect, test } from '@jest/globals'
import { becomes, type Page, reads } from '@sluice/browser-test'
import { slidingWindowLog } from '@sluice/core'
import { awayStore, limiterOf, opened, recording, startReal } from './real.ts'

startReal()

/** In the middle of a second, as between two readings of its clock a recorder goes by its own. */
const start = '2026-06-01T10:20:30.500Z'
const log = (limit: number) => slidingWindowLog({ limit, window: '1h' })
const said = (page: Page) => page.locator('#cursor-said').textContent()

describe('whoever cannot see the charts', () => {
  /** At 10:20:30 in three policies, at 10:20:31 in one, then nothing; the page's time moves only by the test. */
  async function twoSeconds(): Promise<Page> {
    const { seen, ahead } = recording(Date.parse(start))
    const tiger = limiterOf('tiger', { visitor: log(5), everybody: log(100) }, seen)
    const owl = limiterOf('owl', { default: log(9) }, seen)
    // It reads its clock.
    await seen.flush()
    for (let i = 0; i < 7; i++) await tiger.check('bob')
    for (let i = 0; i < 2; i++) await owl.check('ann')
    await seen.flush()
    ahead(1)
    await seen.flush()
    await owl.check('eve')
    await seen.flush()
    ahead(4)
    const page = await opened({ recorder: seen, limiters: [tiger, owl] }, { frozen: true, timezoneId: 'UTC' })
    await page.locator('#rows').focus()
    return page
  }

  /** By the left arrow, faster than anybody could listen. */
  async function goTo(page: Page, time: string): Promise<void> {
    for (let i = 0; i < 10 && (await page.locator('#cursor-time').textContent()) !== `at ${time}`; i++)
      await page.keyboard.press('ArrowLeft')
    expect(await page.locator('#cursor-time').textContent()).toBe(`at ${time}`)
  }

  test('is told the numbers at the cursor, once it stands', async () => {
    const page = await twoSeconds()
    await goTo(page, '10:20:30')
    await page.clock.runFor(300)
    expect(await said(page)).toBe('')
    await page.clock.runFor(200)
    expect(await said(page)).toBe(
      'At 10:20:30. tiger / visitor: 5 admitted, 2 refused. tiger / everybody: 5 admitted, 0 refused. owl: 2 admitted, 0 refused.',
    )
    await page.keyboard.press('ArrowRight')
    await page.clock.runFor(500)
    expect(await said(page)).toBe('At 10:20:31. owl: 1 admitted, 0 refused.')
    await page.keyboard.press('ArrowRight')
    await page.clock.runFor(500)
    expect(await said(page)).toBe('At 10:20:32. No requests.')
    await page.keyboard.press('Escape')
    expect(await said(page)).toBe('')
    const live = page.locator('#cursor-said')
    expect([await live.getAttribute('role'), await live.getAttribute('aria-live')]).toEqual(['status', null])
  })

  test('is told nothing while a pointer moves', async () => {
    const page = await twoSeconds()
    const { x = 0, y = 0, width = 0 } = (await page.locator('.chart').first().boundingBox()) ?? {}
    for (let step = 1; step <= 20; step++) {
      await page.mouse.move(x + width / 2 + step * 10, y + 10)
      await page.clock.runFor(100)
      expect(await said(page)).toBe('')
    }
    await page.clock.runFor(500)
    expect(await said(page)).toMatch(/^At \d\d:\d\d:\d\d\. No requests\.$/)
  })

  test('hears of each number in a row what it is', async () => {
    const page = await twoSeconds()
    await goTo(page, '10:20:30')
    const first = await page.locator('.row').first().ariaSnapshot()
    for (const words of ['admitted/s 5', 'refused/s 2', 'refused 28.6 %', 'most in 1 h 5 of 5'])
      expect(first).toContain(`paragraph: ${words}`)
  })
})

describe('the title of the tab', () => {
  const titled = (page: Page, title: string) => becomes(() => page.title(), title)

  test('says how many policies refuse, and when the page stands still', async () => {
    const { seen, ahead } = recording()
    const limiter = limiterOf('tiger', { visitor: log(5), everybody: log(3) }, seen)
    const page = await opened({ recorder: seen, limiters: [limiter] })
    await titled(page, 'Sluice dashboard')
    for (let i = 0; i < 7; i++) await limiter.check('bob')
    await titled(page, '1 refusing · Sluice dashboard')
    await page.getByRole('button', { name: 'Pause' }).click()
    await titled(page, 'Paused · Sluice dashboard')
    await seen.flush()
    ahead(20)
    await page.getByRole('button', { name: 'Resume' }).click()
    await titled(page, 'Sluice dashboard')
  })

  test('says that the store does not answer', async () => {
    const { seen } = recording()
    const { store, comeBack } = awayStore()
    const limiter = limiterOf('tiger', { visitor: log(5) }, { observer: seen, store })
    const page = await opened({ recorder: seen, limiters: [limiter] })
    for (let i = 0; i < 30; i++) await limiter.check('bob')
    await titled(page, 'Redis does not answer · Sluice dashboard')
    comeBack()
    await reads(page, '#events .title', 'Redis answers again', 'Redis does not answer')
    await becomes(async () => (await page.title()).includes('answer'), false)
  })
})
