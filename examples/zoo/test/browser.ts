import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { expect, jest } from '@jest/globals'
import { source as axe } from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

// A page takes its time where the machine is busy.
jest.setTimeout(40_000)

const root = path.resolve(__dirname, '../../..')

/** Installed if need be: scripts are ES modules, which tests cannot import. */
function chromiumPath(): string {
  const programs = JSON.stringify(path.join(root, 'scripts/programs.mjs'))
  const code = `import { chromium } from ${programs}; process.stdout.write(chromium())`
  return execFileSync(process.execPath, ['--input-type=module', '--eval', code], { encoding: 'utf8' })
}

export function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] })
}

/** Where a picture is kept, for whoever wants to look at it. */
export const pictureAt = (name: string): string => path.join(root, 'examples/zoo/.tmp', `${name}.png`)

export const screens = {
  desk: { viewport: { width: 1440, height: 900 } },
  'desk in the dark': { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  'narrow phone': { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true },
} as const satisfies Readonly<Record<string, BrowserContextOptions>>

/** A visitor's page, and what went wrong on it: errors, warnings and what the policy of its content has forbidden. */
export interface Viewed {
  readonly page: Page
  readonly complaints: readonly string[]
}

export async function view(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = screens.desk,
): Promise<Viewed> {
  const page = await browser.newPage({ reducedMotion: 'reduce', ...options })
  const complaints: string[] = []
  page.on('console', (message) => {
    // The browser itself writes a line for each refusal.
    if (/status of 429/.test(message.text())) return
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  await page.goto(url)
  return { page, complaints }
}

interface Finding {
  readonly id: string
  readonly impact: string | null
  readonly nodes: readonly { readonly html: string }[]
}

/** What axe calls serious or critical. */
export async function findings(page: Page): Promise<string[]> {
  // Evaluated, as the page's own policy forbids a script element with text.
  await page.evaluate(axe)
  const found = await page.evaluate<Finding[]>('axe.run().then(({ violations }) => violations)')
  const serious = found.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  return serious.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`))
}

/** Waits until a chart says that to who cannot see it. */
export async function chartSays(page: Page, attraction: string, words: string): Promise<void> {
  const chart = page.getByRole('img', { name: `Last minute at ${attraction}. ` })
  const said = async () => (await chart.getAttribute('aria-label')) ?? ''
  const giveUp = performance.now() + 15_000
  while (!(await said()).includes(words) && performance.now() < giveUp) await page.waitForTimeout(50)
  expect(await said()).toContain(words)
}
