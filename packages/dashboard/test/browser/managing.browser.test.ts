import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Browser, type Page, reads, startBrowser, textsOf, view } from '@sluice/browser-test'
import { attributedWindow, createLimiter } from '@sluice/core'
import { memorySink, recorder } from '@sluice/telemetry'
import { type Served, serve } from './served.ts'

const hostile = '<img src=x onerror=alert(1)>'
const seen = recorder(memorySink())
const limiter = createLimiter({
  name: 'lemur',
  policy: attributedWindow({ limit: 5, window: '1h' }),
  observers: [seen],
})
let browser: Browser
let open: Served
let closed: Served

beforeAll(async () => {
  browser = await startBrowser()
  open = await serve({ recorder: seen, limiters: [limiter], mayManage: () => true, maskKeys: false })
  closed = await serve({ recorder: seen, limiters: [limiter] })
  for (const note of ['ann', 'ann', 'eve', 'ann', 'eve']) await limiter.check(hostile, { note })
})
afterAll(async () => {
  await Promise.all([browser.close(), open.close(), closed.close()])
  await Promise.all([limiter.close(), seen.close()])
})

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
/** Asks for an act, and confirms it where the page has named the key. */
async function act(page: Page, name: string): Promise<void> {
  await press(page, name)
  await press(page, `${name} ${hostile}`)
}
const reason = async () => (await limiter.peek(hostile)).reason

test('a key is inspected, blocked, let in again and reset, and other pages follow', async () => {
  // Below a path, and asked for without the slash behind it.
  const { page, complaints } = await view(browser, `${open.url}staff/dashboard`)
  const other = await view(browser, open.url)
  await reads(page, '#key-list .key', hostile)
  await page.getByRole('button', { name: /^Inspect / }).click()
  await reads(page, '#inspect-used', '5 of 5')
  expect(await textsOf(page, '#inspect-who')).toEqual(['ann 3, eve 2'])

  await page.getByLabel('Block for').selectOption('10 min')
  await act(page, 'Block')
  await reads(page, '#inspect-blocked', 'for 10 min')
  expect(await reason()).toBe('blocked')
  await reads(other.page, '#key-list .state', 'blocked for 10 min')

  await act(page, 'Unblock')
  await reads(page, '#inspect-blocked', 'no')
  expect(await reason()).toBe('limited')

  await act(page, 'Reset')
  await reads(page, '#inspect-used', '0 of 5')
  expect(await reason()).toBeNull()
  await reads(other.page, '#events .title', 'Key reset', 'Key unblocked', 'Key blocked')

  // It shows although it has used nothing: it would be refused.
  await act(page, 'Block')
  await reads(other.page, '#key-list .state', 'blocked for 10 min')
  expect([...complaints, ...other.complaints]).toEqual([])
})

test('a page that may only look shows no key in full, and no actions', async () => {
  await limiter.block(hostile, '10m')
  await limiter.check(hostile)
  const { page } = await view(browser, closed.url)
  await reads(page, '#masked', 'keys masked')
  await page.locator('#key-list .key').waitFor()
  const [key] = await textsOf(page, '#key-list .key')
  expect(key).toMatch(/^<img src•+ #\w{6}$/)
  expect(await textsOf(page, 'button')).toEqual(['Pause'])
})
