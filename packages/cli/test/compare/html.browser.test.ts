import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals'
import {
  type Browser,
  desk,
  findings,
  narrowPhone,
  type Page,
  screens,
  startBrowser,
  touching,
  type Viewed,
  type ViewOptions,
  view,
} from '@sluice/browser-test'
import type { Comparison } from '../../src/compare/comparison.ts'
import { htmlOf } from '../../src/compare/html/html.ts'
import { folderWith } from '../sluice.ts'
import { aComparison, hostile, nothing, suggestions } from './html/a-comparison.ts'

/** The desk with everything twice as large. */
const zoomed = { viewport: { width: 720, height: 450 }, deviceScaleFactor: 2 }
const origin = { command: "sluice compare access.log.gz --path 'user/{user}'", version: '1.2.3' }
let browser: Browser
/** What a test has opened. */
const viewed: Viewed[] = []

beforeAll(async () => {
  browser = await startBrowser()
})

afterAll(() => browser?.close())

afterEach(async () => {
  const pages = viewed.splice(0)
  expect(pages.flatMap(({ complaints }) => complaints)).toEqual([])
  // A report needs nothing but its own file.
  expect(pages.flatMap(({ asked }) => asked).filter((url) => !url.startsWith('file:'))).toEqual([])
  await Promise.all(pages.map(({ page }) => page.context().close()))
})

async function opened(comparison: Comparison, options: ViewOptions = desk): Promise<Page> {
  const file = path.join(folderWith({}), 'report.html')
  writeFileSync(file, htmlOf(comparison, origin))
  const report = await view(browser, pathToFileURL(file).href, options)
  viewed.push(report)
  return report.page
}

/** Every pair of a list such as "Admitted" and "10,000". */
function pairs(page: Page, list: string): Promise<readonly (readonly string[])[]> {
  return cells(page, `${list} > div`)
}

/** The rows of a table, or of a list of pairs. */
function cells(page: Page, rows: string): Promise<readonly (readonly string[])[]> {
  return page
    .locator(rows)
    .evaluateAll((found) => found.map((row) => [...row.children].map((cell) => cell.textContent ?? '')))
}

/** How many points of a chart have the colour that a token names. As text: these files know no document. */
function painted(page: Page, place: number, token: string): Promise<number> {
  return page.evaluate(`(() => {
    const canvas = document.querySelector('[data-chart="${place}"] canvas')
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true })
    copy.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('${token}')
    copy.fillRect(0, 0, 1, 1)
    const wanted = copy.getImageData(0, 0, 1, 1).data.join()
    copy.drawImage(canvas, 0, 0)
    const { data } = copy.getImageData(0, 0, canvas.width, canvas.height)
    let found = 0
    for (let at = 0; at < data.length; at += 4) if (data.slice(at, at + 4).join() === wanted) found++
    return found
  })()`)
}

describe('the report as one file', () => {
  it('says what the comparison says', async () => {
    const page = await opened(aComparison())
    expect(await page.title()).toBe('0 to 22 of 250 clients are refused – 2 policies on access.log.gz')
    expect(await page.locator('.verdict li').allTextContents()).toEqual([
      'slidingWindowLog:60/1m: 22 of 250 clients are refused, with 2,345 requests (19.0 %). It refuses 10 of 238 well-behaved clients (4.2 %), who send at most 24 requests in any minute.',
      'limits.yaml: 0 of 250 clients are refused.',
    ])
    expect(await page.locator('footer > *').allTextContents()).toEqual([
      'Made by Sluice 1.2.3:',
      "sluice compare access.log.gz --path 'user/{user}'",
    ])
    expect(await page.locator('h2').allTextContents()).toEqual([
      'Policies',
      'Refused clients',
      'Tighter and looser',
      'Lines of the log',
    ])
    expect(await pairs(page, '.totals')).toEqual([
      ['Requests', '12,345 sent'],
      ['Clients', '250 identified by IP'],
      ['On average', '10.3 requests per second'],
      ['Busiest second', '41 requests, at 13:10:01'],
      ['Time', '13:00:00–13:19:59 2026-03-10, UTC'],
      ['Lines not read', '3 under 0.1 % of 12,348 lines'],
    ])
    expect(await pairs(page, '.row:first-child dl')).toEqual([
      ['Admitted', '10,000 '],
      ['Refused', '2,345 19.0 %'],
      ['Clients refused', '22 of 250'],
      ['Busiest second', '17 admitted, at 13:10:01'],
      ['Fullest window', expect.stringMatching(/^60 of 60 in 1 min, by .* at 13:11:00$/)],
    ])
    expect((await pairs(page, '.row:last-child dl')).map(([label]) => label)).not.toContain('Fullest window')
  })

  it('says what half and double would have done, and that there is no half', async () => {
    const page = await opened(aComparison())
    expect(await cells(page, '.variants tbody tr')).toEqual([
      ['half', '30 in 1 min', '8,000', '4,345', '35.2 %', '90'],
      ['slidingWindowLog:60/1m', '60 in 1 min', '10,000', '2,345', '19.0 %', '22'],
      ['double', '120 in 1 min', '12,345', '0', '0.0 %', '0'],
      ['half', '–', '–', '–', '–', '–'],
      ['limits.yaml', '3 limits', '12,345', '0', '0.0 %', '0'],
      ['double', '120 in 1 min', '12,345', '0', '0.0 %', '0'],
    ])
  })

  it('says what is suggested, ready to be pasted', async () => {
    const page = await opened(aComparison({ suggestions }))
    const section = page.locator('section', { has: page.locator('#suggested') })
    expect(await section.locator('p').allTextContents()).toEqual([
      '238 of 250 clients count as well-behaved (at most 25 requests in any minute); up to 1.0 % of them may be refused.',
      'refuses 1 of 238 (7 requests) and 10 of 12 others (3,000 requests)',
      'uniform:1s: with any numbers, it refuses more.',
    ])
    expect(await section.locator('code').allTextContents()).toEqual([
      "gcra({ count: 14, period: '1m', burst: 13 })",
      '{ strategy: gcra, count: 14, period: 1m, burst: 13 }',
    ])
  })

  it('shows names and lines of a log as text, whatever is in them', async () => {
    const page = await opened(aComparison())
    const seen = hostile.replace('\u202E', '%E2%80%AE')
    expect(await cells(page, '.card:first-child tbody tr')).toEqual([
      [seen, '1,952', '2,432'],
      ['2001:db8::1', '393', '400'],
      ['203.0.113.0/24', '2,200', '5'],
    ])
    expect(await page.locator('section pre').textContent()).toBe('192.0.2.1 - <b>')
    expect(await page.locator('img').count()).toBe(0)
    expect(await page.locator('script').count()).toBe(2)
  })

  it('draws what was admitted and what was refused, in light and dark', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await opened(aComparison(), { ...desk, colorScheme })
      expect(await painted(page, 0, '--admitted-mark')).toBeGreaterThan(5000)
      expect(await painted(page, 0, '--refused-mark')).toBeGreaterThan(1000)
    }
  })

  it('shows one step of all charts to the keyboard, and ends that with Escape', async () => {
    const page = await opened(aComparison())
    const shown = () => page.locator('[data-at]').allTextContents()
    expect(await shown()).toEqual(['', ''])
    await page.locator('#rows').focus()
    await page.keyboard.press('ArrowLeft')
    // The last step but none: 12 + 599 % 7 in two seconds.
    const last = '13:19:58: 8/s, 0/s refused'
    expect(await shown()).toEqual([`${last}, 60 in the window`, last])
    await page.keyboard.press('Escape')
    expect(await shown()).toEqual(['', ''])
  })

  it('shows the step under the pointer', async () => {
    const page = await opened(aComparison())
    const box = await page.locator('[data-chart="1"]').boundingBox()
    const { x, y, width } = box ?? { x: 0, y: 0, width: 0 }
    await page.mouse.move(x + 44 + (width - 44) / 2 + 1, y + 20)
    expect(await page.locator('[data-at="0"]').textContent()).toMatch(/^13:10:0\d: /)
  })

  it.each([
    ['something', aComparison()],
    ['nothing', nothing()],
  ])('fits a phone: %s', async (_what, comparison) => {
    const page = await opened(comparison, narrowPhone)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
  })

  describe.each(Object.entries({ ...screens, 'a desk at 200 percent': zoomed }))('on %s', (_, screen) => {
    it.each([
      ['something', aComparison({ suggestions })],
      ['nothing', nothing()],
    ])('can be used by everybody: %s', async (_what, comparison) => {
      const page = await opened(comparison, screen)
      expect(await findings(page)).toEqual([])
      expect(await touching(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(screen.viewport.width)
    })
  })

  it('runs no script but its own', async () => {
    const page = await opened(aComparison(), { ...desk, meant: /Content Security Policy/ })
    await page.evaluate(`{
      const script = document.createElement('script')
      script.textContent = 'document.title = "taken"'
      document.body.append(script)
    }`)
    expect(await page.title()).toBe('0 to 22 of 250 clients are refused – 2 policies on access.log.gz')
  })
})
