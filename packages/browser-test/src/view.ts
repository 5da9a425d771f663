import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { desk } from './screens.ts'

/** A viewer's page, and what befell it. */
export interface Viewed {
  readonly page: Page
  /** What went wrong: errors, warnings and what the policy of its content has forbidden. */
  readonly complaints: readonly string[]
  /** The addresses that it has asked for. */
  readonly asked: readonly string[]
}

export interface ViewOptions extends BrowserContextOptions {
  /** The page's time stands still until the test lets it pass. */
  readonly frozen?: boolean
  /** Complaints that are meant: the browser itself writes one for each answer that is a refusal. */
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
