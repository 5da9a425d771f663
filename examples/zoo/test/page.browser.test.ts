import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import {
  type Browser,
  desk,
  findings,
  narrowPhone,
  screens,
  startBrowser,
  touching,
  type Viewed,
  type ViewOptions,
  view,
} from '@sluice/browser-test'
import { freePort } from '@sluice/faults/outage'
import { card, chartSays, docsPictureAt, forDocs, paintedOn, pictureAt } from './browser.ts'
import { killPrograms } from './program.ts'
import { buy, type RunningZoo, startZoo } from './zoo.ts'

let browser: Browser
beforeAll(async () => {
  browser = await startBrowser()
})
afterAll(() => browser.close())
afterEach(killPrograms)

/** The browser itself writes a line for each refusal. */
const visit = ({ url }: RunningZoo, options: ViewOptions = desk): Promise<Viewed> =>
  view(browser, url, { ...options, meant: /status of 429/ })

/** The desk with everything twice as large. */
const zoomed = { viewport: { width: 720, height: 450 }, deviceScaleFactor: 2 }
const smallZoomed = { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 }

/** Orders that an attraction has room for no more than thirty of. */
async function fillOtterSlide(zoo: RunningZoo): Promise<void> {
  for (let i = 0; i < 3; i++) await buy(zoo, 'otter', { visitor: 'bob', quantity: 10 })
  await buy(zoo, 'otter', { visitor: 'ann', quantity: 9 })
}

describe('the page of the zoo', () => {
  let zoo: RunningZoo
  beforeEach(async () => {
    zoo = await startZoo()
  })

  test('draws what was sold and refused, within two seconds', async () => {
    const { page, complaints } = await visit(zoo)
    await chartSays(page, 'Otter slide', '0 admitted, 0 refused')
    await fillOtterSlide(zoo)
    const soldMs = performance.now()
    await chartSays(page, 'Otter slide', 'In the last 10 seconds 30 admitted, 9 refused.')
    expect(performance.now() - soldMs).toBeLessThan(2000)
    await page.getByRole('button', { name: 'Buy a ticket for Penguin parade' }).click()
    await chartSays(page, 'Penguin parade', 'In the last 10 seconds 1 admitted, 0 refused.')
    expect(await page.locator('.chart canvas').count()).toBe(15)
    expect(complaints).toEqual([])
  })

  test('shows who is inside, and who waits in line', async () => {
    const { page } = await visit(zoo)
    const tunnel = card(page, 'Aquarium tunnel')
    await tunnel.getByText('nobody inside').waitFor()
    await chartSays(page, 'Meerkat supper', '0 admitted, 0 refused')
    for (let i = 0; i < 2; i++) await buy(zoo, 'meerkat', { visitor: 'bob' })
    await chartSays(page, 'Meerkat supper', '2 admitted')
    await page.getByRole('button', { name: 'Buy a ticket for Aquarium tunnel' }).click()
    await tunnel.getByText('1 inside').waitFor()
    expect(await tunnel.locator('.left').textContent()).toMatch(/11\s+of 12 places/)
    await tunnel.getByText('nobody inside').waitFor()
  })

  test('shows what the gate of each visitor has refused', async () => {
    const { page } = await visit(zoo)
    const button = page.getByRole('button', { name: 'Buy a ticket for Tiger feeding' })
    await button.click()
    await page.locator('#tickets').getByText('T-0001').waitFor()
    await button.click()
    await card(page, 'Tiger feeding').getByText('Refused.').waitFor()
    await chartSays(page, 'Tiger feeding', 'In the last 10 seconds 1 admitted, 1 refused.')
  })

  test('says in the same words what each visitor may buy, with limits from code and from a file', async () => {
    const own = 'one per visitor every 10 s'
    const { page } = await visit(zoo)
    expect(await card(page, 'Tiger feeding').locator('.rule').textContent()).toBe(`100 in any 10 s, ${own}`)
    const { page: byFile } = await visit(await startZoo('--limits', 'examples/zoo/limits.yaml'))
    expect(await card(byFile, 'Tiger feeding').locator('.rule').textContent()).toBe(`100 per 10 s, ${own}`)
  })

  test('draws limits before anything was sold', async () => {
    const { page } = await visit(zoo)
    await chartSays(page, 'Tiger feeding', '0 admitted, 0 refused')
    for (const name of ['Tiger feeding', 'Penguin parade', 'Elephant bath'])
      expect(await paintedOn(page, name, '--limit')).toBeGreaterThan(100)
  })

  test('does not call live what stands still while nobody looks', async () => {
    const { page } = await visit(zoo)
    await chartSays(page, 'Otter slide', 'In the last 10 seconds')
    const look = (hidden: boolean) =>
      page.evaluate(`{
        Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true })
        document.dispatchEvent(new Event('visibilitychange'))
      }`)
    await look(true)
    expect(await page.locator('#span').textContent()).toMatch(/^not live, 60 s up to \d\d:\d\d:\d\d$/)
    await chartSays(page, 'Otter slide', 'In the 10 seconds up to ')
    await look(false)
    await page.getByText('last 60 s, live').waitFor()
    await chartSays(page, 'Otter slide', 'In the last 10 seconds')
  })

  test('leaves no card alone in its row', async () => {
    const { page } = await visit(zoo)
    await card(page, 'Meerkat supper').waitFor()
    for (const width of [1180, 1440, 1600, 1920]) {
      await page.setViewportSize({ width, height: 900 })
      const tops = await page
        .locator('.card')
        .evaluateAll((cards) => cards.map((each) => each.getBoundingClientRect().top))
      const { width: last = 0 } = (await page.locator('.card').last().boundingBox()) ?? {}
      const { width: all = 1 } = (await page.locator('#grid').boundingBox()) ?? {}
      const inLastRow = tops.filter((top) => top === tops.at(-1)).length
      expect(inLastRow > 1 || last === all).toBe(true)
    }
  })

  test('sends a crowd, and complains of nothing', async () => {
    const { page, complaints } = await visit(zoo)
    await page.getByRole('spinbutton', { name: 'Seconds' }).fill(forDocs ? '50' : '4')
    await page.getByRole('button', { name: 'Send a crowd' }).click()
    await page
      .getByText(/^Done\. /)
      .first()
      .waitFor({ timeout: 70_000 })
    await page.screenshot({ path: pictureAt('zoo'), fullPage: true })
    if (forDocs) {
      await page.setViewportSize({ width: 1440, height: 1176 })
      await page.screenshot({ path: docsPictureAt('zoo') })
    }
    expect(await findings(page)).toEqual([])
    expect(complaints).toEqual([])
  })

  test('sends a crowd that was asked for before the server had answered, and none that was taken back', async () => {
    const page = await browser.newPage()
    let answer = () => {}
    const answers = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route(/\/attractions\?/, (route) => answers.then(() => route.continue()))
    await page.goto(zoo.url)
    await page.getByRole('spinbutton', { name: 'Seconds' }).fill('1')
    const send = page.getByRole('button', { name: 'Send a crowd' })
    const waits = page.getByText('No answer from the server yet.')
    await send.click()
    await waits.waitFor()
    await send.click()
    await waits.waitFor({ state: 'hidden' })
    await send.click()
    await waits.waitFor()
    answer()
    await page
      .getByText(/^Done\. /)
      .first()
      .waitFor({ timeout: 30_000 })
  })

  const others = {
    'a narrow phone': narrowPhone,
    'a desk at 200 percent': zoomed,
    'a small desk at 200 percent': smallZoomed,
  }

  test.each(Object.entries({ ...screens, ...others }))(
    'can be used by everybody on %s',
    async (name, screen) => {
      const { page, complaints } = await visit(zoo, screen)
      await fillOtterSlide(zoo)
      await chartSays(page, 'Otter slide', '30 admitted, 9 refused')
      expect(await findings(page)).toEqual([])
      expect(await touching(page)).toEqual([])
      expect(await page.title()).toBe(`Zoo tickets, ${new URL(zoo.url).host}`)
      const { width } = screen.viewport
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
      await page.screenshot({ path: pictureAt(name.replaceAll(' ', '-')), fullPage: true })
      expect(complaints).toEqual([])
    },
  )

  test('leads to the dashboard', async () => {
    const { page } = await visit(zoo)
    await page.getByRole('link', { name: 'Dashboard' }).click()
    await page.getByRole('heading', { name: 'Policies' }).waitFor()
    expect(page.url()).toBe(`${zoo.url}/dashboard/`)
  })
})

test('the charts go on when the server was away', async () => {
  const port = String(await freePort())
  const first = await startZoo('--port', port)
  const { page } = await visit(first)
  await chartSays(page, 'Otter slide', '0 admitted')
  await first.program.kill()
  await page.locator('.lost').waitFor()
  await page.getByText('not live, 60 s up to').waitFor()
  await chartSays(page, 'Otter slide', 'In the 10 seconds up to ')
  const second = await startZoo('--port', port)
  await fillOtterSlide(second)
  await chartSays(page, 'Otter slide', '30 admitted, 9 refused')
})

test('the charts of a zoo with its limits in a file are those of everybody', async () => {
  const zoo = await startZoo('--limits', 'examples/zoo/limits.yaml')
  const { page, complaints } = await visit(zoo)
  for (const visitor of ['ann', 'bob', 'bob']) await buy(zoo, 'tiger', { visitor, quantity: 2 })
  await chartSays(page, 'Tiger feeding', 'In the last 10 seconds 4 admitted, 2 refused.')
  expect(complaints).toEqual([])
})

test('says of which window the tickets are that are left', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'zoo-windows-'))
  const file = path.join(folder, 'limits.yaml')
  const windows = '[{ limit: 2, window: 1s }, { limit: 3, window: 1m }]'
  await writeFile(
    file,
    `schema: { attraction: { children: { elephant: { limits: { strategy: multiWindow, limits: ${windows} } } } } }`,
  )
  const zoo = await startZoo('--limits', file)
  await rm(folder, { recursive: true })
  const { page } = await visit(zoo)
  const left = card(page, 'Elephant bath').locator('.left')
  await left.getByText('of 2 left in 1 s').waitFor()
  await buy(zoo, 'elephant', { visitor: 'bob' })
  await left.getByText('of 3 left in 1 m').waitFor()
  expect(await left.locator('strong').textContent()).toBe('2')
})
