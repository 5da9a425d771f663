import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Browser, type Page, reads, startBrowser, textsOf, view } from '@sluice/browser-test'
import type { StoreState } from '../../src/wire.ts'
import { fromSecond, greeting, historyOf, row, secondAfter, store } from './scenes.ts'
import { type ScriptedServer, scriptedServer } from './scripted-server.ts'

let browser: Browser
let server: ScriptedServer
let page: Page
let complaints: readonly string[]
beforeAll(async () => {
  browser = await startBrowser()
  server = await scriptedServer(() => greeting([row('tiger')]))
  ;({ page, complaints } = await view(browser, server.url))
  await reads(page, '#status', 'Live')
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

const state = (given: Partial<StoreState>): StoreState => ({ ...store, ...given })

// biome-ignore format: a table
test.each([
  // the store's state, and how it reads: state, since, failures, late replies
  [{},                                                             'Redis answers',              'for 3 min 10 s',   '0',     '0'],
  [{ status: 'degraded', failures: 3, lateReplies: 1 },            'Redis answers intermittently',   'for 3 min 10 s',   '3',     '1'],
  [{ status: 'down', sinceMs: 42_000, failures: 1900 },            'Redis does not answer',      'away for 42 s',    '1,900', '0'],
  [{ name: 'memory', sinceMs: 7_500_000 },                         'Counting in memory',         'for 2 h 5 min',    '0',     '0'],
  [{ name: 'tables', sinceMs: 90_000_000 },                        'Tables answers',             'for 1 day 1 h',    '0',     '0'],
  [{ name: '', sinceMs: 5000 },                                    'Not known to this page',     'for 5 s',          '0',     '0'],
] as const)('a store in state %j reads "%s"', async (given, words, since, failures, late) => {
  server.send(state(given))
  await reads(page, '#store-state', words)
  expect(await textsOf(page, '.store dl > div')).toEqual([since, `failures ${failures}`, `late replies ${late}`])
})

describe('while the store is away', () => {
  const awayFromMs = (fromSecond + 258) * 1000
  const away = state({ status: 'down', awayFromMs })

  // biome-ignore format: a table
  test.each([
    ['local', 'Each process counts on its own with the same limits, so up to one limit per process can pass. No request waits longer than 100 ms. It recovers automatically.'],
    ['allow', 'Everything passes until it is back.'],
    ['deny',  'Every request is refused with 503 until it is back.'],
    ['mixed', 'Limiters differ, as their onStoreFailure says: some count in each process, some let everything pass, or refuse everything with 503, until it is back.'],
  ] as const)('the banner says what "%s" means', async (onFailure, words) => {
    server.send({ ...away, onFailure })
    await reads(page, '#outage-words', words)
    const since = await page.evaluate((ms) => new Date(ms).toLocaleTimeString('en-GB'), awayFromMs)
    expect(await textsOf(page, '[role=alert] h2')).toEqual([`Redis has not answered since ${since}`])
  })

  test('seconds of which nothing is known have no numbers, and the totals say since when they count', async () => {
    const history = historyOf([row('tiger')])
    const known = fromSecond + 299
    const totals = { ...history.totals, admitted: 300, knownFromSecond: known }
    server.send(secondAfter(0, { totals }))
    const since = await page.evaluate((ms) => new Date(ms).toLocaleTimeString('en-GB'), known * 1000)
    await reads(page, '#admitted-sub', `since ${since}; not known before`)
    await page.locator('#rows').focus()
    for (let i = 0; i < 5; i++) await page.keyboard.press('ArrowLeft')
    await reads(page, '#list .row .num >> nth=0', 'admitted/s –')
  })

  test('the rows are hatched, the axis is marked, and what was decided locally is counted', async () => {
    const history = historyOf([row('tiger')])
    const totals = { ...history.totals, admitted: 300, refused: 100, local: 30 }
    server.send(secondAfter(0, { totals, outages: [[fromSecond + 258, null]] }))
    // Of the span ten were decided locally in an outage before.
    server.send({ ...away, localUnits: 20 })
    await reads(page, '#outage-local', '20')
    expect(await textsOf(page, '#outage-away')).toEqual(['43 s'])
    expect(await textsOf(page, '#local, #local-sub')).toEqual(['30', '7.5 % of all'])
    expect(await page.locator('#local-mark').isVisible()).toBe(true)
    const [x1, x2] = await page
      .locator('#axis line')
      .evaluate((line) => ['x1', 'x2'].map((x) => line.getAttribute(x)))
    expect(x1).toBe(`${(100 * 257) / 300}%`)
    expect(x2).toBe('100%')
  })

  test('the banner goes when it is back', async () => {
    server.send(store)
    await reads(page, '#store-state', 'Redis answers')
    expect(await page.locator('#outage').isVisible()).toBe(false)
  })
})

test('events come with their times and marks, the newest first', async () => {
  server.send({
    event: 'events',
    events: [
      { atMs: 1_700_000_020_000, mark: 'live', title: 'Redis answers again', text: 'Away for 18 s.' },
      { atMs: 1_700_000_002_000, mark: 'away', title: 'Redis does not answer', text: 'ECONNREFUSED.' },
      { atMs: 1_700_000_000_000, mark: '', title: 'Key blocked', text: 'tiger / visitor, al••, for 10 min.' },
    ],
  })
  await reads(page, '#events .title', 'Redis answers again', 'Redis does not answer', 'Key blocked')
  expect(await textsOf(page, '#events p')).toEqual([
    'Away for 18 s.',
    'ECONNREFUSED.',
    'tiger / visitor, al••, for 10 min.',
  ])
  const marks = await page.locator('#events .dot').evaluateAll((dots) => dots.map((dot) => dot.className))
  expect(marks).toEqual(['dot live', 'dot away', 'dot'])
  expect(await page.locator('#events .dot:visible').count()).toBe(2)
})

test('nothing on the page complains', () => {
  expect(complaints).toEqual([])
})
