import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Browser, desk, phone, reads, startBrowser, view } from '@sluice/browser-test'
import { Zoo } from './pictured.ts'
import { type Served, serve } from './served.ts'

/** Each run leaves its pictures here; with SLUICE_SCREENSHOTS=1 those of the documentation are made anew as well. */
const screens = path.resolve(import.meta.dirname, '../../.tmp/screens')
const images = path.resolve(import.meta.dirname, '../../../../docs/images')

let browser: Browser
let after: Served
let during: Served
beforeAll(async () => {
  mkdirSync(screens, { recursive: true })
  browser = await startBrowser()
  ;[after, during] = await Promise.all([served([208, 190]), served([42, 0])])
})
afterAll(async () => {
  await Promise.all([browser.close(), after.close(), during.close()])
})

async function served(away: readonly [number, number]): Promise<Served> {
  const zoo = new Zoo(away)
  const dashboard = await serve({ recorder: zoo.recorder, limiters: zoo.limiters, mayManage: () => true })
  await zoo.live()
  return dashboard
}

/** Those of the documentation show the upper part, so that they stay small. */
const inDocs = { desk: { width: 1280, height: 1000 }, phone: { width: 390, height: 1400 } }

const tall = { viewport: { width: 1440, height: 2000 } }
const tallPhone = { ...phone, viewport: { width: 390, height: 4000 } }

// biome-ignore format: a table
test.each([
  ['dashboard',          () => after,  tall],
  ['dashboard-dark',     () => after,  { ...tall, colorScheme: 'dark' }],
  ['dashboard-degraded', () => during, tall],
  ['dashboard-phone',    () => after,  tallPhone],
] as const)('%s', async (name, server, options) => {
  const { page, complaints } = await view(browser, server().url, { ...desk, ...options })
  await reads(page, '#status', 'Live')
  await reads(page, '#policy-count', '9')
  await page.locator('.row').last().locator('.uplot').waitFor()
  await page.screenshot({ path: path.join(screens, `${name}.png`), fullPage: true })
  if (process.env.SLUICE_SCREENSHOTS === '1') {
    await page.setViewportSize(options === tallPhone ? inDocs.phone : inDocs.desk)
    await page.screenshot({ path: path.join(images, `${name}.png`), scale: 'css' })
  }
  expect(complaints).toEqual([])
  await page.context().close()
})
