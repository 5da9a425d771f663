import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { jest } from '@jest/globals'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

// A page takes its time where the machine is busy.
jest.setTimeout(30_000)

const programs = path.resolve(import.meta.dirname, '../../../../scripts/programs.mjs')

/** The path of Chromium, installed if need be: scripts are ES modules, which tests cannot import. */
function chromiumPath(): string {
  const code = `import { chromium } from ${JSON.stringify(programs)}; process.stdout.write(chromium())`
  return execFileSync(process.execPath, ['--input-type=module', '--eval', code], { encoding: 'utf8' })
}

export function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] })
}

/** A viewer's page, and what went wrong on it: errors, warnings and what the policy of its content has forbidden. */
export interface Viewed {
  readonly page: Page
  readonly complaints: readonly string[]
}

export const desk: BrowserContextOptions = { viewport: { width: 1440, height: 900 } }
export const phone: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
  deviceScaleFactor: 2,
}

interface ViewOptions extends BrowserContextOptions {
  /** The page's time stands still until the test lets it pass. */
  readonly frozen?: boolean
}

export async function view(browser: Browser, url: string, options: ViewOptions = desk): Promise<Viewed> {
  const { frozen = false, ...context } = options
  const page = await browser.newPage({ reducedMotion: 'reduce', ...context })
  if (frozen) {
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 1000)
  }
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  await page.goto(url)
  return { page, complaints }
}
