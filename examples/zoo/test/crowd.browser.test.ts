import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Browser, type Page, reads, startBrowser, view } from '@sluice/browser-test'
import type { EndpointState } from '@sluice/cli/endpoint'
import { docsPictureAt, forDocs, pictureAt } from './browser.ts'
import { killPrograms, type Program, sluice, until } from './program.ts'
import { bodyOf, type RunningZoo, startZoo } from './zoo.ts'

let browser: Browser
beforeAll(async () => {
  browser = await startBrowser()
})
afterAll(async () => {
  await killPrograms()
  await browser.close()
})

const names = ['log', 'gate', 'log-delays', 'gang', 'pair']
/** The picture of the documentation is of more, and for as long as the dashboard shows. */
const [loops, allowed, seconds] = forDocs ? [900, 300, 50] : [40, 30, 12]
const wide = { viewport: { width: 1280, height: 1400 } }

/** What the command has counted of a test. */
interface Counted {
  readonly name: string
  readonly admitted: number
  readonly refused: number
}

test('the dashboard shows live how the log holds, a gang breaks through the gate, and a pair of limits stops it', async () => {
  const zoo = await startZoo()
  const numbers = [loops, allowed, '--seconds', seconds].map(String)
  const crowd = await sluice('crowd', ...numbers, '--only', ...names, '--url', zoo.url, '--json')
  const { page, complaints } = await view(browser, await crowd.prints(/http:\S+#\S+/), wide)
  for (const title of names) await expectLive(page, zoo, title)

  const counted = await countedBy(crowd)
  await reads(page, '#admitted', sumOf(counted, 'admitted'))
  await reads(page, '#refused', sumOf(counted, 'refused'))
  await page.screenshot({ path: pictureAt('crowd'), fullPage: true })
  if (forDocs) await takePicture(page)
  expectFacts(await rowsOf(page), counted)
  expect(complaints).toEqual([])
}, 400_000)

/** Within two seconds after the first ticket of a test is sold, its row has a number. */
async function expectLive(page: Page, zoo: RunningZoo, title: string): Promise<void> {
  await until(`run of "${title}"`, () => hasBegun(zoo, title))
  const begunMs = performance.now()
  const most = page.locator('.row', { hasText: title }).first().locator('.peak .value')
  await until('number', async () => (await most.isVisible()) && (await most.textContent()) !== '0')
  expect(performance.now() - begunMs).toBeLessThan(2000)
}

async function hasBegun({ url }: RunningZoo, title: string): Promise<boolean> {
  const { open } = await bodyOf<EndpointState>(await fetch(`${url}/crowd`))
  return open !== null && open.title === title && open.admitted > 0
}

async function countedBy(crowd: Program): Promise<readonly Counted[]> {
  expect(await crowd.ended()).toBe(0)
  const { tests } = JSON.parse(crowd.stdout) as { tests: readonly Counted[] } // what follows compares it
  expect(tests.map(({ name }) => name)).toEqual(names)
  return tests
}

function sumOf(counted: readonly Counted[], which: 'admitted' | 'refused'): string {
  return counted.reduce((sum, each) => sum + each[which], 0).toLocaleString('en')
}

async function takePicture(page: Page): Promise<void> {
  const { y, height } = (await page.locator('#policies').boundingBox()) ?? { y: 0, height: 0 }
  const clip = { x: 0, y: y - 24, width: wide.viewport.width, height: height + 48 }
  await page.screenshot({ path: docsPictureAt('crowd'), clip })
}

/** What a row says, also to whoever cannot see it. */
interface Row {
  readonly admitted: number
  readonly refused: number
  readonly most: number
  /** What the most is held against. */
  readonly of: string
  readonly over: boolean
}

const sentence =
  /: in 5 minutes (\S+) admitted, (\S+) refused \(.*\), (?:most in 10 s|fullest key) (\S+) (.+)\.$/

async function rowsOf(page: Page): Promise<ReadonlyMap<string, Row>> {
  const rows = await page.locator('.row').all()
  return new Map(
    await Promise.all(
      rows.map(async (row): Promise<[string, Row]> => {
        const label = await row.locator('.chart').getAttribute('aria-label')
        const [, admitted, refused, most, of = ''] = sentence.exec(label ?? '') ?? []
        const over = await row.locator('.over-mark').isVisible()
        const numbers = { admitted: numberOf(admitted), refused: numberOf(refused), most: numberOf(most) }
        const name = (await row.locator('h3').textContent()) ?? ''
        return [name.replace(/\s/g, ' '), { ...numbers, of, over }]
      }),
    ),
  )
}

const numberOf = (text = 'none'): number => Number(text.replaceAll(',', ''))

function expectFacts(rows: ReadonlyMap<string, Row>, counted: readonly Counted[]): void {
  const [log, gate, delayed, gang, pair] = counted.map(({ admitted, refused }) => ({ admitted, refused }))
  const any: unknown = expect.any(Number)
  const each = { of: 'of 1', most: 1, over: false }
  const all = { of: `of ${allowed.toLocaleString('en')}`, most: allowed, over: false }
  // biome-ignore format: a table
  expect([...rows]).toEqual([
    ['crowd log / everybody',        { ...all, ...log }],
    ['crowd gate / visitor',         { ...each, ...gate }],
    ['crowd gate / allowance',       { ...all, ...gate, refused: any, most: any }],
    ['crowd log-delays / everybody', { ...all, ...delayed }],
    ['crowd gang / visitor',         { ...each, ...gang }],
    ['crowd gang / allowance',       { ...all, ...gang, refused: any, most: any, over: true }],
    ['crowd pair / visitor',         { ...each, ...pair, refused: any }],
    ['crowd pair / everybody',       { ...all, ...pair, refused: any }],
  ])
  expect(rows.get('crowd gate / allowance')?.most).toBeLessThanOrEqual(allowed)
  expect(rows.get('crowd gang / allowance')?.most).toBeGreaterThan(1.5 * allowed)
}
