import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type Browser, desk, type Page, reads, startBrowser, textsOf, view } from '@sluice/browser-test'
import { createLimiter, fixedWindow } from '@sluice/core'
import { memorySink, recorder } from '@sluice/telemetry'
import { greeting, hello, nothing, row, secondAfter } from './scenes.ts'
import { type ScriptedServer, scriptedServer } from './scripted-server.ts'
import { serve } from './served.ts'

let browser: Browser
beforeAll(async () => {
  browser = await startBrowser()
})
afterAll(() => browser.close())

const stale = (page: Page) => page.locator('body.stale').count()

test('the page is live again after the server has started anew on its port', async () => {
  const first = recorder(memorySink())
  const served = await serve({ recorder: first })
  const { page } = await view(browser, served.url)
  await reads(page, '#status', 'Live')
  await served.close()
  await page.locator('body.stale').waitFor()
  const [words] = await textsOf(page, '#status')
  expect(words).toMatch(/^Not live\. Last seen at \d\d:\d\d:\d\d, trying again in 1 s\.$/)

  const second = recorder(memorySink())
  const limiter = createLimiter({
    name: 'anew',
    policy: fixedWindow({ limit: 3, window: '1h' }),
    observers: [second],
  })
  await limiter.check('bob')
  const again = await serve({ recorder: second, limiters: [limiter] }, served.port)
  await reads(page, '#status', 'Live')
  expect(await stale(page)).toBe(0)
  await reads(page, '.row h3', 'anew')
  await again.close()
  await Promise.all([limiter.close(), first.close(), second.close()])
})

describe('the connection', () => {
  let server: ScriptedServer
  let page: Page
  beforeEach(async () => {
    server = await scriptedServer(() => greeting([row('tiger')]))
    ;({ page } = await view(browser, server.url, { ...desk, frozen: true }))
    await passUntil('#status', 'Live')
  })
  afterEach(async () => {
    await page.context().close()
    await server.close()
  })

  /** Lets the page's time pass in small steps, of less than a second in all, until the page reads so. */
  async function passUntil(selector: string, expected: string): Promise<void> {
    let texts: string[] = []
    for (let step = 0; step < 45 && texts[0] !== expected; step++) {
      await page.clock.runFor(20)
      texts = await textsOf(page, selector)
    }
    expect(texts).toEqual([expected])
  }

  test('is tried again after waits that double, up to half a minute', async () => {
    await server.close()
    for (const wait of [1, 2, 4, 8, 16, 30, 30]) {
      await passUntil('#status .counted', `trying again in ${wait} s.`)
      await page.clock.runFor(wait * 1000)
    }
  })

  test('is tried at once when the viewer is online again', async () => {
    await server.close()
    await passUntil('#status .counted', 'trying again in 1 s.')
    await page.clock.runFor(1000)
    await passUntil('#status .counted', 'trying again in 2 s.')
    const again = await scriptedServer(() => greeting([row('tiger')]), { port: server.port })
    await page.evaluate('dispatchEvent(new Event("online"))')
    await passUntil('#status', 'Live')
    await again.close()
  })

  test('counts as lost when the server says nothing for ten seconds', async () => {
    await page.clock.runFor(9000)
    await reads(page, '#status', 'Live')
    await page.clock.runFor(1500)
    expect(await page.locator('body.stale').count()).toBe(1)
    await page.clock.runFor(1000)
    await passUntil('#status', 'Live')
    expect(server.asked).toHaveLength(2)
  })

  test('is made anew where a second has been missed', async () => {
    server.send(secondAfter(0), secondAfter(2))
    await passUntil('#status', 'Live')
    for (let step = 0; step < 45 && server.asked.length < 2; step++) await page.clock.runFor(20)
    expect(server.asked).toHaveLength(2)
  })

  test('is let go while the page is paused', async () => {
    expect(await page.locator('#axis .end').textContent()).toBe('now')
    await page.locator('#pause').click()
    await passUntil('#pause', 'Resume')
    await page.clock.runFor(100)
    expect(await page.locator('#axis .end').textContent()).toBe(await clockOf(page, hello.nowMs))
    expect(await textsOf(page, '#status')).toEqual([`Paused at ${await clockOf(page, hello.nowMs)}`])
    server.send(secondAfter(0, { totals: { ...nothing, admitted: 7 } }))
    await page.evaluate('dispatchEvent(new Event("online"))')
    await page.clock.runFor(60_000)
    expect(server.asked).toHaveLength(1)
    await page.locator('#pause').click()
    await passUntil('#status', 'Live')
    expect(server.asked).toHaveLength(2)
  })
})

const clockOf = (page: Page, ms: number) =>
  page.evaluate((ms) => new Date(ms).toLocaleTimeString('en-GB'), ms)
