import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { desk } from './screens.ts'

/** A viewer's page, with its errors and requests. */
export interface Viewed {
  readonly page: Page
  /** Errors, warnings and violations of the Content-Security-Policy. */
  readonly complaints: readonly string[]
  /** The addresses that it has requested. */
  readonly asked: readonly string[]
}

export interface ViewOptions extends BrowserContextOptions {
  /** The page's clock moves only when the test advances it. */
  readonly frozen?: boolean
  /** Expected errors: the browser logs one for each response that is a refusal. */
  readonly meant?: RegExp
}

export async function view(browser: Browser, url: string, options: ViewOptions = desk): Promise<Viewed> {
  const { frozen = false, meant, ...context } = options
  const page = await browser.newPage({ reducedMotion: 'reduce', ...context })
  if (frozen) {
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 1000)
  }
  const complaints: string[] = []
  const asked: string[] = []
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return
    if (meant?.test(message.text()) !== true) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('request', (request) => asked.push(request.url()))
  await page.goto(url)
  return { page, complaints, asked }
}
