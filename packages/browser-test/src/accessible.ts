import axe from 'axe-core'
import type { Page } from 'playwright-core'

interface Finding {
  readonly id: string
  readonly impact: string | null
  readonly nodes: readonly { readonly html: string }[]
}

/** The serious and critical findings of axe on a page. */
export async function findings(page: Page): Promise<string[]> {
  // Evaluated, because the page's Content-Security-Policy forbids inline scripts.
  await page.evaluate(axe.source)
  // It would load the style sheets a second time, which a page opened from a file may not; none of its usual rules needs that.
  const found = await page.evaluate<Finding[]>(
    'axe.run({ preload: false }).then(({ violations }) => violations)',
  )
  const serious = found.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  return serious.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`))
}
