import { aimWords, notFoundWords, refusalWords } from '../suggest/lines.ts'
import type { Suggestions } from '../suggest/suggestion.ts'
import { html, type Markup } from './markup.ts'

/** Suggested policies to paste, and how many clients they would have refused; nothing if not requested. */
export function suggestionsOf(suggestions: Suggestions | null): Markup | null {
  if (suggestions === null) return null
  const found = suggestions.found.map(
    (suggestion) => html`<div class="card"><h3>${suggestion.text}</h3>
<p>${refusalWords(suggestion, suggestions)}</p>
<pre><code>${suggestion.code}</code></pre><pre><code>${suggestion.yaml}</code></pre></div>`,
  )
  return html`<section aria-labelledby="suggested"><h2 id="suggested">Suggested</h2>
<p>${aimWords(suggestions)}.</p>
<div class="cards">${found}</div>
${suggestions.notFound.map((text) => html`<p>${notFoundWords(text)}.</p>`)}</section>`
}
