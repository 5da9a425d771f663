import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from '@jest/globals'
import type { Page } from 'playwright-core'

/** The visible texts of all elements that match. */
export async function textsOf(page: Page, selector: string): Promise<string[]> {
  const texts = await page.locator(selector).filter({ visible: true }).allInnerTexts()
  return texts.map((text) => text.replace(/\s+/g, ' ').trim())
}

/** Waits until the page shows these texts; then, or after five seconds, compares. */
export function reads(page: Page, selector: string, ...expected: readonly string[]): Promise<void> {
  return becomes(() => textsOf(page, selector), expected)
}

/** The same for any value. */
export async function becomes(read: () => Promise<unknown>, expected: unknown): Promise<void> {
  const endMs = performance.now() + 5000
  const wanted = JSON.stringify(expected)
  let found = await read()
  while (JSON.stringify(found) !== wanted && performance.now() < endMs) {
    await sleep(20)
    found = await read()
  }
  expect(found).toEqual(expected)
}
