import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import {
  type Browser,
  type BrowserContextOptions,
  desk,
  findings,
  narrowPhone,
  type Page,
  phone,
  reads,
  screens,
  startBrowser,
  view,
} from '@sluice/browser-test'
import { type BuiltSite, builtSite, repository } from './built.ts'

let browser: Browser
let site: BuiltSite
beforeAll(async () => {
  site = builtSite()
  browser = await startBrowser()
  // The types are read by a compiler, which a busy machine lets wait.
})
afterAll(async () => {
  await browser.close()
  site.remove()
})

/** Opens a page from its file; closing it verifies that it complained of nothing and asked nobody. */
async function open(
  name: string,
  options: BrowserContextOptions = desk,
): Promise<{ page: Page; close(): Promise<void> }> {
  const { page, complaints, asked } = await view(browser, site.url(name), options)
  async function close(): Promise<void> {
    await page.context().close()
    expect([...new Set(complaints)]).toEqual([])
    expect(asked.filter((url) => !url.startsWith('file:'))).toEqual([])
  }
  return { page, close }
}

function htmlFiles(): readonly string[] {
  return readdirSync(site.folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.html'),
  )
}

test('a long code among the headings of a page breaks behind an underscore', () => {
  const html = readFileSync(path.join(site.folder, 'errors.html'), 'utf8')
  expect(html).toContain('>SLUICE_<wbr>KEY_<wbr>NOT_<wbr>USABLE</a>')
})

test('every link and every file that a page asks for is there', () => {
  const pages = new Map(htmlFiles().map((name) => [name, readFileSync(path.join(site.folder, name), 'utf8')]))
  expect(pages.size).toBeGreaterThan(50)
  const wrong: string[] = []
  for (const [name, html] of pages) {
    for (const [, address = ''] of html.matchAll(/\s(?:href|src|data-root|data-index)="([^"]*)"/g)) {
      if (/^https?:/.test(address)) continue
      const [target = '', anchor] = address.split('#')
      const file = target === '' ? name : path.posix.join(path.posix.dirname(name), target)
      if (!existsSync(path.join(site.folder, file))) wrong.push(`${name}: ${address}`)
      else if (anchor && file !== 'playground.html' && !pages.get(file)?.includes(` id="${anchor}"`))
        wrong.push(`${name}: ${address}`)
    }
  }
  expect(wrong).toEqual([])
})

test('each entry of a package has its reference, with a page for each export', async () => {
  const { page, close } = await open('reference/index.html')
  const entries = await page.locator('.prose li').allInnerTexts()
  expect(entries).toEqual(expect.arrayContaining(['@sluice/core', '@sluice/http', '@sluice/express']))
  expect(entries.filter((name) => /internal|src/.test(name))).toEqual([])
  await page.getByRole('link', { name: '@sluice/core', exact: true }).click()
  await page.getByRole('link', { name: 'GcraOptions' }).click()
  await reads(page, 'h1', 'Interface: GcraOptions')
  expect(await findings(page)).toEqual([])
  await close()
})

describe.each(Object.entries(screens))('on %s', (_, options) => {
  test.each(['index.html', 'strategies/index.html', 'errors.html'])(
    'axe finds nothing serious on %s',
    async (name) => {
      const { page, close } = await open(name, options)
      expect(await findings(page)).toEqual([])
      await close()
    },
  )
})

test.each(['index.html', 'strategies/fixedWindow.html', 'performance.html', 'metrics.html'])(
  '%s needs no sideways scrolling on the narrowest phone',
  async (name) => {
    const { page, close } = await open(name, narrowPhone)
    expect(await page.locator('html').evaluate((html) => html.scrollWidth)).toBe(320)
    await close()
  },
)

test('a reader finds a section by its words, with the keyboard alone', async () => {
  const { page, close } = await open('strategies/gcra.html')
  await page.keyboard.press('/')
  await page.keyboard.type('sluice_trust_all')
  await reads(page, '#search-results li:first-child b', 'SLUICE_TRUST_ALL')
  expect(await findings(page)).toEqual([])
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL(/errors\.html#sluice_trust_all$/)
  await close()
})

test('a search for what is nowhere says so', async () => {
  const { page, close } = await open('index.html')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.keyboard.type('zzqqxx')
  await reads(page, '#search-results', 'Nothing was found for “zzqqxx”.')
  await page.keyboard.press('Escape')
  expect(await page.locator('#search').isVisible()).toBe(false)
  await close()
})

test('the colours follow the system until a reader chooses, and the choice is remembered', async () => {
  const { page, close } = await open('index.html', { ...desk, colorScheme: 'dark' })
  const paper = () =>
    page.locator('body').evaluate((body) => body.computedStyleMap().get('background-color')?.toString())
  const [dark, light] = ['rgb(13, 15, 18)', 'rgb(246, 246, 243)']
  expect(await paper()).toBe(dark)
  await page.getByText('Light', { exact: true }).click()
  expect(await paper()).toBe(light)
  await page.locator('.top').getByRole('link', { name: 'Strategies' }).click()
  await page.waitForURL(/strategies/)
  expect(await paper()).toBe(light)
  expect(await page.getByRole('radio', { name: 'Light' }).isChecked()).toBe(true)
  await page.getByText('Auto', { exact: true }).click()
  expect(await paper()).toBe(dark)
  await close()
})

test('dark colours that were chosen have enough contrast in a light system', async () => {
  const { page, close } = await open('strategies/index.html')
  await page.getByText('Dark', { exact: true }).click()
  expect(await findings(page)).toEqual([])
  await close()
})

test('a skip link leads past the bar and the navigation', async () => {
  const { page, close } = await open('errors.html')
  await page.keyboard.press('Tab')
  expect(await page.locator(':focus').textContent()).toBe('Skip to the page')
  await page.keyboard.press('Enter')
  expect(await page.locator(':focus').getAttribute('id')).toBe('main')
  await close()
})

test('a page says where it is, and where it is edited', async () => {
  const { page, close } = await open('strategies/gcra.html')
  expect(await page.locator('.side [aria-current="page"]').textContent()).toBe('gcra')
  const edit = page.getByRole('link', { name: 'Edit this page' })
  expect(await edit.getAttribute('href')).toBe(`${repository}/edit/main/docs/strategies/gcra.md`)
  await close()
})

test('the list of versions has the current one', async () => {
  const { page, close } = await open('strategies/gcra.html')
  await page.locator('.versions summary').click()
  const { version } = JSON.parse(readFileSync(path.join(__dirname, '../package.json'), 'utf8'))
  await reads(page, '.versions a[aria-current]', `${version} (latest)`)
  await page.locator('.versions a[aria-current]').click()
  await page.waitForURL(/index\.html$/)
  await close()
})

test('without scripts a page can be read, and offers nothing that needs them', async () => {
  const { page, close } = await open('strategies/gcra.html', { ...desk, javaScriptEnabled: false })
  await reads(page, 'h1', 'gcra')
  expect(await page.locator('.needs-script:visible').count()).toBe(0)
  await close()
})

test.each(['index.html', 'playground.html', 'strategies/gcra.html'])(
  'the header of %s is one row on a phone, and its menu has the rest',
  async (name) => {
    const { page, close } = await open(name, narrowPhone)
    const parts = page.locator('.bar > :visible')
    const middles = await parts.evaluateAll((all) =>
      all
        .map((part) => part.getBoundingClientRect())
        .map(({ top, bottom }) => Math.round((top + bottom) / 2)),
    )
    expect(middles.length).toBeGreaterThan(2)
    expect(Math.max(...middles) - Math.min(...middles)).toBeLessThanOrEqual(2)
    expect(await page.locator('.top').isVisible()).toBe(false)
    await page.getByText('Menu', { exact: true }).click()
    expect(await findings(page)).toEqual([])
    await page.locator('.top').getByRole('link', { name: 'Reference' }).click()
    await page.waitForURL(/api\.html$/)
    await close()
  },
)

test('the contents of a page stand beside it on a screen of 1280 pixels, and nothing is cut off', async () => {
  const { page, close } = await open('reliability.html', { viewport: { width: 1280, height: 800 } })
  await page.locator('.contents').getByRole('link', { name: 'Startup and graceful shutdown' }).click()
  await page.waitForURL(/#startup-and-graceful-shutdown$/)
  expect(await page.locator('html').evaluate((html) => html.scrollWidth)).toBe(1280)
  await close()
})

test('a program is copied by its button, which a finger sees too', async () => {
  const { page, close } = await open('index.html', phone)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const button = page.getByRole('button', { name: 'Copy' }).first()
  expect(await button.evaluate((copy) => copy.computedStyleMap().get('opacity')?.toString())).toBe('1')
  await button.click()
  expect(await page.evaluate('navigator.clipboard.readText()')).toContain('npm install @sluice/core')
  await close()
})

test('the home page leads to a program for each framework, with what to install', async () => {
  const { page, close } = await open('index.html')
  await page.getByRole('link', { name: 'A program for your framework' }).click()
  await page.locator('#install:not(:empty)').waitFor()
  await page.getByLabel('Framework').selectOption({ label: 'Koa' })
  await reads(page, '#install', 'npm install @sluice/core @sluice/koa koa')
  const top = await page.locator('#code-title').evaluate((title) => title.getBoundingClientRect().top)
  expect(top).toBeLessThan(desk.viewport?.height ?? 0)
  await close()
})

test('a search by other words finds the section', async () => {
  const { page, close } = await open('index.html')
  await page.keyboard.press('/')
  await page.keyboard.type('graceful shutdown')
  await reads(page, '#search-results li:first-child b', 'Startup and graceful shutdown')
  await close()
})
