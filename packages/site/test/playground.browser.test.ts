import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import {
  type Browser,
  type BrowserContextOptions,
  becomes,
  desk,
  findings,
  narrowPhone,
  type Page,
  reads,
  screens,
  startBrowser,
  textsOf,
  view,
} from '@sluice/browser-test'
import { frameworks } from '../src/playground/code.ts'
import { strategyNames } from '../src/playground/policy.ts'
import { type BuiltSite, builtSite } from './built.ts'

let browser: Browser
let site: BuiltSite
beforeAll(async () => {
  site = builtSite('--without-types')
  browser = await startBrowser()
})
afterAll(async () => {
  await browser.close()
  site.remove()
})

interface Opened {
  readonly page: Page
  close(): Promise<void>
}

/** Opens the playground from its file; closing it verifies that it complained of nothing and asked nobody. */
async function open(hash = '', options: BrowserContextOptions = desk): Promise<Opened> {
  const { page, complaints, asked } = await view(browser, `${site.url('playground.html')}${hash}`, options)
  await page.locator('#summary:not(:empty)').waitFor()
  async function close(): Promise<void> {
    await page.context().close()
    expect([...new Set(complaints)]).toEqual([])
    expect(asked.filter((url) => !url.startsWith('file:'))).toEqual([])
  }
  return { page, close }
}

/** A flood of a hundred requests in the fifth of forty seconds. */
const flood = 'drawn=1000:0x4,100,0x35'

test('the first scene shows that a fixed window admits twice its limit around a border', async () => {
  const { page, close } = await open()
  await reads(page, '#summary', 'Of 40 requests: fixedWindow admits 40, slidingWindowLog admits 21.')
  await reads(page, '[data-number=most]', '39 of 20', '20 of 20')
  await reads(page, '#compare td', '', '21', '19', '0', '0')
  await close()
})

test('an example shows what each client of a shared limit gets, and who waits how long', async () => {
  const { page, close } = await open()
  const example = page.getByLabel('Example')
  await example.selectOption('One client asks for ten times its share')
  await reads(page, '.row .clients:visible tbody th', 'amy', 'ben', 'cat', 'amy', 'ben', 'cat')
  await example.selectOption('Who waits how long')
  await page.getByText('A request waits at most').waitFor()
  await becomes(
    async () => (await textsOf(page, '[data-number=wait]')).every((text) => text.includes(' s')),
    true,
  )
  await close()
})

test('each lane of a chart says what it shows, and where nothing is left to show there is none', async () => {
  const { page, close } = await open()
  const lanes = ['in 10 s', 'admitted', 'refused', 'left']
  await reads(page, '.lane', ...lanes, ...lanes)
  const tops = await page.locator('.flow .lane').evaluateAll((all) => all.map((each) => each.offsetTop))
  expect(tops.slice(0, 3)).toEqual([0, 75, 136])
  await close()
  const busy = await open(`#${flood}&policy=concurrency:limit=20`)
  await reads(busy.page, '[data-word=window]', 'in flight')
  await busy.close()
})

test.each(strategyNames)('%s decides in the browser', async (strategy) => {
  const { page, close } = await open(`#${flood}&policy=gcra:count=20,period=10s`)
  await page.getByLabel('Strategy').selectOption(strategy)
  const admitted = strategy === 'uniform' ? 2 : strategy === 'concurrency' ? 20 : null
  await becomes(async () => /admits \d+\.$/.test(String(await textsOf(page, '#summary'))), true)
  if (admitted !== null) await reads(page, '#summary', `Of 100 requests: ${strategy} admits ${admitted}.`)
  expect(await page.locator('.flow canvas').count()).toBe(1)
  await close()
})

test('everything is reached and changed by the keyboard alone', async () => {
  const { page, close } = await open(`#${flood}&policy=fixedWindow:limit=20,window=10s`)
  await page.getByRole('slider').first().focus()
  await page.keyboard.press('ArrowRight')
  expect(await page.locator(':focus').getAttribute('aria-label')).toBe('From 1 s on')
  await page.keyboard.press('PageUp')
  expect(await page.locator(':focus').getAttribute('aria-valuetext')).toBe('10 requests')
  await reads(page, '#summary', 'Of 110 requests: fixedWindow admits 20.')
  await page.keyboard.press('ArrowDown')
  await reads(page, '#summary', 'Of 109 requests: fixedWindow admits 20.')
  await page.getByLabel('limit', { exact: true }).focus()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type('30')
  await reads(page, '#summary', 'Of 109 requests: fixedWindow admits 30.')
  await page.locator('#rows').focus()
  for (const key of ['Home', 'ArrowRight']) await page.keyboard.press(key)
  await reads(page, '[data-number]', '9', '0', '9 of 30', '21')
  await page.keyboard.press('Escape')
  await reads(page, '[data-number=admitted]', '30')
  await close()
})

test('traffic is drawn with the pointer, also in one quick stroke', async () => {
  const { page, close } = await open(`#drawn=1000:0x40&policy=fixedWindow:limit=20,window=10s`)
  await reads(page, '#summary', 'There is no traffic: draw or paste some.')
  const columns = page.locator('.traffic .hit')
  const [from, to] = [await columns.nth(10).boundingBox(), await columns.nth(14).boundingBox()]
  if (from === null || to === null) throw new Error('The columns are not shown.')
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2)
  await page.mouse.down()
  await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2)
  await page.mouse.up()
  const drawn = await page
    .getByRole('slider')
    .evaluateAll((all) => all.map((one) => Number(one.getAttribute('aria-valuenow'))))
  expect(drawn.map((value, i) => (value > 0 ? i : -1)).filter((i) => i >= 0)).toEqual([10, 11, 12, 13, 14])
  expect(await page.getByLabel('Shape').inputValue()).toBe('own')
  await close()
})

test('text is pasted: times with keys, and lines of a log; what cannot be read is said', async () => {
  const { page, close } = await open('#policy=fixedWindow:limit=1,window=10s')
  await page.getByText('Paste', { exact: true }).click()
  await page.locator('#pasted').fill('0.0 amy\n0.5 ben\n0.9 amy\nnonsense')
  await reads(page, '#summary', 'Of 3 requests: fixedWindow admits 2.')
  await reads(page, '#traffic-problem', '1 line has no time that can be read.')
  await reads(page, '#keys', '2')
  await close()
})

test('the sample log is an hour of a shop', async () => {
  const { page, close } = await open('#policy=gcra:count=60,period=1m')
  await page.getByText('Sample log', { exact: true }).click()
  await becomes(async () => (await textsOf(page, '#offered'))[0], '11,536')
  const [summary = ''] = await textsOf(page, '#summary')
  expect(summary).toMatch(/^Of 11,536 requests: gcra admits [\d,]+\.$/)
  await close()
})

test('a number that cannot be is answered with the words of the library, and the other policy goes on', async () => {
  const { page, close } = await open()
  await page.getByLabel('limit', { exact: true }).first().fill('many')
  await reads(page, '.row .problem', 'limit: expected a whole number of at least 0, got "many" (string)')
  await reads(page, '#summary', 'Of 40 requests: slidingWindowLog admits 21.')
  expect(await page.getByLabel('limit', { exact: true }).first().getAttribute('aria-invalid')).toBe('true')
  await close()
})

test('a link brings back what was chosen', async () => {
  const { page, close } = await open()
  await page.getByRole('button', { name: 'Add a policy' }).click()
  await page.getByLabel('Shape').selectOption('Flood')
  await reads(page, 'h3', 'fixedWindow', 'slidingWindowLog', 'gcra')
  const [summary = ''] = await textsOf(page, '#summary')
  const other = await open(new URL(page.url()).hash)
  await reads(other.page, '#summary', summary)
  expect(await other.page.getByLabel('Shape').inputValue()).toBe('flood')
  await other.close()
  await close()
})

test('a policy is removed, and the focus goes to its neighbour', async () => {
  const { page, close } = await open()
  await page.getByRole('button', { name: 'Remove fixedWindow' }).click()
  await reads(page, 'h3', 'slidingWindowLog')
  expect(await page.locator(':focus').getAttribute('name')).toBe('strategy')
  expect(await page.locator('#compare').isVisible()).toBe(false)
  await close()
})

test('every decision is in a table too', async () => {
  const { page, close } = await open()
  await page.getByRole('heading', { name: 'Every decision as a table' }).click()
  await reads(page, '#decisions-head', 'At fixedWindow slidingWindowLog')
  await reads(page, '#decisions-body tr:first-child', '0 admitted, 19 left admitted, 19 left')
  await reads(page, '#decisions-body tr:nth-child(22)', '10.05 s admitted, 18 left refused, again in 9.0 s')
  expect(await findings(page)).toEqual([])
  await close()
})

test('the program is that of the framework', async () => {
  const { page, close } = await open()
  for (const { title, packages } of Object.values(frameworks)) {
    await page.getByLabel('Framework').selectOption(title)
    await reads(page, '#install', ['npm install @sluice/core', ...packages].join(' '))
    expect(await page.locator('#program').textContent()).toContain(
      "fixedWindow({ limit: 20, window: '10s' })",
    )
  }
  await page.getByLabel('Counted in').selectOption('Redis')
  expect(await page.locator('#program').textContent()).toContain("redisStore('redis://localhost')")
  await close()
})

test('a link and the program are copied', async () => {
  const { page, close } = await open('', { ...desk, permissions: ['clipboard-read', 'clipboard-write'] })
  const copied = () => page.evaluate<string>('navigator.clipboard.readText()')
  await page.getByRole('button', { name: 'Copy link' }).click()
  await reads(page, '#link-status', 'Copied: whoever opens it sees this.')
  expect(await copied()).toBe(page.url())
  expect(page.url()).toContain('#drawn=1000:1,0x8,19,20,0x29&policy=fixedWindow:limit=20,window=10s')
  await page.locator('.code', { has: page.locator('#program') }).hover()
  await page.getByRole('button', { name: 'Copy', exact: true }).last().click()
  await becomes(copied, await page.locator('#program').textContent())
  await close()
})

test('the charts take the colours that are chosen', async () => {
  const { page, close } = await open()
  const drawn = () =>
    page
      .locator('.left canvas')
      .first()
      // The tests are compiled without the browser's types.
      .evaluate((canvas) => (canvas as unknown as { toDataURL(): string }).toDataURL())
  const light = await drawn()
  await page.getByText('Dark', { exact: true }).click()
  await becomes(async () => (await drawn()) === light, false)
  await page.getByText('Light', { exact: true }).click()
  await becomes(async () => (await drawn()) === light, true)
  await close()
})

describe.each(Object.entries(screens))('on %s', (_, options) => {
  test('axe finds nothing serious', async () => {
    const { page, close } = await open('', options)
    expect(await findings(page)).toEqual([])
    await close()
  })
})

test('it needs no sideways scrolling on the narrowest phone', async () => {
  const { page, close } = await open('', narrowPhone)
  expect(await page.locator('html').evaluate((html) => html.scrollWidth)).toBe(320)
  await close()
})
