import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import {
  type Browser,
  desk,
  findings,
  narrowPhone,
  screens,
  startBrowser,
  type Viewed,
  type ViewOptions,
  view,
} from '@sluice/browser-test'
import { chartSays, docsPictureAt, forDocs, pictureAt } from './browser.ts'
import { freePort, killPrograms } from './program.ts'
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

/** Orders that an attraction has room for no more than thirty of. */
async function fillOtterSlide(zoo: RunningZoo): Promise<void> {
  for (let i = 0; i < 3; i++) await buy(zoo, 'otter', { visitor: 'bob', quantity: 10 })
  await buy(zoo, 'otter', { visitor: 'ann', quantity: 9 })
}

describe('the page of the zoo', () => {
  let zoo: RunningZoo
  beforeEach(async () => {
    zoo = await startZoo()
  }, 20_000)

  test('draws what was sold and refused, within two seconds', async () => {
    const { page, complaints } = await visit(zoo)
    await chartSays(page, 'Otter slide', '0 admitted, 0 refused')
    await fillOtterSlide(zoo)
    const soldMs = performance.now()
    await chartSays(page, 'Otter slide', 'In the last 10 seconds 30 admitted, 9 refused.')
    expect(performance.now() - soldMs).toBeLessThan(2000)
    await page.getByRole('button', { name: 'Buy a ticket for Penguin parade' }).click()
    await chartSays(page, 'Penguin parade', 'In the last 10 seconds 1 admitted, 0 refused.')
    expect(await page.locator('.chart canvas').count()).toBe(10)
    expect(complaints).toEqual([])
  })

  test('shows who is inside, and who waits in line', async () => {
    const { page } = await visit(zoo)
    const card = (name: string) => page.locator('.card', { hasText: name })
    await card('Aquarium tunnel').getByText('nobody inside').waitFor()
    await chartSays(page, 'Meerkat supper', '0 admitted, 0 refused')
    for (let i = 0; i < 2; i++) await buy(zoo, 'meerkat', { visitor: 'bob' })
    await chartSays(page, 'Meerkat supper', '2 admitted')
    await page.getByRole('button', { name: 'Buy a ticket for Aquarium tunnel' }).click()
    await card('Aquarium tunnel').getByText('1 inside').waitFor()
    expect(await card('Aquarium tunnel').locator('.left').textContent()).toMatch(/11\s+of 12 places/)
    await card('Aquarium tunnel').getByText('nobody inside').waitFor()
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
  }, 90_000)

  test.each(Object.entries({ ...screens, 'a narrow phone': narrowPhone }))(
    'can be used by everybody on %s',
    async (name, screen) => {
      const { page, complaints } = await visit(zoo, screen)
      await fillOtterSlide(zoo)
      await chartSays(page, 'Otter slide', '30 admitted, 9 refused')
      expect(await findings(page)).toEqual([])
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
  const second = await startZoo('--port', port)
  await fillOtterSlide(second)
  await chartSays(page, 'Otter slide', '30 admitted, 9 refused')
}, 60_000)

test('the charts of a zoo with its limits in a file are those of everybody', async () => {
  const zoo = await startZoo('--limits', 'examples/zoo/limits.yaml')
  const { page, complaints } = await visit(zoo)
  for (const visitor of ['ann', 'bob', 'bob']) await buy(zoo, 'tiger', { visitor, quantity: 2 })
  await chartSays(page, 'Tiger feeding', 'In the last 10 seconds 4 admitted, 0 refused.')
  expect(complaints).toEqual([])
})
