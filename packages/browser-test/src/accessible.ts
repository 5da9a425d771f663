import axe from 'axe-core'
import type { Page } from 'playwright-core'

interface Finding {
  readonly id: string
  readonly impact: string | null
  readonly nodes: readonly { readonly html: string }[]
}

/** What axe calls serious or critical on a page. */
export async function findings(page: Page): Promise<string[]> {
  // Evaluated, as the page's own policy forbids a script element with text.
  await page.evaluate(axe.source)
  const found = await page.evaluate<Finding[]>('axe.run().then(({ violations }) => violations)')
  const serious = found.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  return serious.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`))
}
