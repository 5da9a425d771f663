import { createHash } from 'node:crypto'
import type { Comparison } from '../comparison.ts'
import type { Origin } from '../origin.ts'
import { secondMs } from '../words.ts'
import { factsOf } from './facts.ts'
import { html, type Markup, trusted } from './markup.ts'
import { mark, script, style } from './pages.generated.ts'
import { policiesOf } from './policies.ts'
import { suggestionsOf } from './suggestions.ts'
import { oddLinesOf, refusalsOf, variantsOf } from './tables.ts'
import { type TimeAxis, timeAxisOf } from './time-axis.ts'
import { verdictOf, verdictsOf } from './verdicts.ts'

/** One self-contained file, which can be mailed and opened from a disk. */
export function htmlOf(comparison: Comparison, origin: Origin): string {
  const { input, results } = comparison
  const axis = timeAxisOf(comparison.timeline)
  const policies = results.length === 1 ? '1 policy' : `${results.length} policies`
  const title = `${policies} on ${input.source}`
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy}">
<title>${verdictOf(comparison)} – ${title}</title>
${trusted(`<style>${style}</style>`)}
<header class="bar"><span class="brand">${trusted(mark)}Sluice</span><span class="what">What if</span></header>
<main>
<h1>${title}</h1>
${verdictsOf(comparison)}
${factsOf(input)}
${policiesOf(comparison, axis)}
${refusalsOf(comparison)}
${suggestionsOf(comparison.suggestions)}
${variantsOf(comparison)}
${oddLinesOf(input.log)}
<footer><p>Made by Sluice ${origin.version}:</p><pre><code>${origin.command}</code></pre></footer>
</main>
<script type="application/json" id="data">${chartData(comparison, axis)}</script>
${trusted(`<script type="module">${script}</script>`)}
</html>
`.markup
}

/** Allows nothing from other hosts, and only this script and this style, identified by their hashes. */
const contentSecurityPolicy = [
  "default-src 'none'",
  `script-src ${sourceOf(script)}`,
  `style-src ${sourceOf(style)}`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

function sourceOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

/** The data of the charts: only numbers, so that no text from a log gets into a script. */
function chartData({ results }: Comparison, { fromMs, toMs, stepMs, everyMs }: TimeAxis): Markup {
  const perSecond = (sums: readonly number[]): readonly number[] =>
    sums.map((sum) => (sum * secondMs) / stepMs)
  const charts = results.map(({ worstWindow, windowOverTime, admittedOverTime, refusedOverTime }) => ({
    limit: worstWindow?.most ?? null,
    inWindow: windowOverTime,
    admitted: perSecond(admittedOverTime),
    refused: perSecond(refusedOverTime),
  }))
  const [from, to, step, every] = [fromMs, toMs, stepMs, everyMs].map((ms) => ms / secondMs)
  return trusted(JSON.stringify({ from, to, step, every, charts }))
}
