import { clientLines } from '../client/lines.ts'
import type { Comparison, LogFacts, Network, Outcome, Result } from '../comparison.ts'
import { count, share } from '../words.ts'
import { html, type Markup } from './markup.ts'

/** The results of half and twice the numbers. */
export function variantsOf({ results }: Comparison): Markup {
  return html`<section aria-labelledby="variants"><h2 id="variants">Tighter and looser</h2>
<table class="variants"><thead><tr><th scope="col">Policy</th><th scope="col">Rule</th>
<th scope="col" class="r">Admitted</th><th scope="col" class="r">Refused</th><th scope="col" class="r">Refused %</th>
<th scope="col" class="r">Clients refused</th></tr></thead>
${results.map(groupOf)}
</table></section>`
}

function groupOf({ text, rule, tighter, looser, ...asAsked }: Result): Markup {
  return html`<tbody>
${variantOf('half', tighter?.rule ?? '–', tighter)}
${variantOf(text, rule, asAsked)}
${variantOf('double', looser?.rule ?? '–', looser)}
</tbody>`
}

function variantOf(name: string, rule: string, outcome: Outcome | null): Markup {
  const numbers = numbersOf(outcome).map(
    ([label, text]) => html`<td class="r" data-label="${label}">${text}</td>`,
  )
  return html`<tr><th scope="row">${name}</th><td>${rule}</td>${numbers}</tr>`
}

function numbersOf(outcome: Outcome | null): readonly (readonly [label: string, text: string])[] {
  const text = (say: (outcome: Outcome) => string): string => (outcome === null ? '–' : say(outcome))
  return [
    ['Admitted', text(({ admitted }) => count(admitted))],
    ['Refused', text(({ refused }) => count(refused))],
    ['Refused %', text(({ refusedShare }) => share(refusedShare))],
    ['Clients refused', text(({ clientsRefused }) => count(clientsRefused))],
  ]
}

/** The clients refused by each policy and, for a file, the limits that refused. */
export function refusalsOf({ results }: Comparison): Markup {
  return html`<section aria-labelledby="refusals"><h2 id="refusals">Refused clients</h2>
<div class="cards">${results.map(cardOf)}</div></section>`
}

function cardOf({ text, clientsRefused, refusedClients, refusedNetworks, refusedBy }: Result): Markup {
  if (clientsRefused === 0) return html`<div class="card"><h3>${text}</h3><p>No client was refused.</p></div>`
  const more = clientsRefused - refusedClients.length
  return html`<div class="card"><h3>${text}</h3>
<table><thead><tr><th scope="col">Client</th><th scope="col" class="r">Refused</th><th scope="col" class="r">of</th></tr></thead>
<tbody>${refusedClients.map(
    ({ client, offered, refused }) =>
      html`<tr><td><bdi>${client}</bdi></td><td class="r refused">${count(refused)}</td><td class="r">${count(offered)}</td></tr>`,
  )}</tbody></table>
${more > 0 ? html`<p>and ${count(more)} more</p>` : null}
${refusedNetworks.length === 0 ? null : networksOf(refusedNetworks)}
${refusedBy.length === 0 ? null : levelsOf(refusedBy)}</div>`
}

function networksOf(networks: readonly Network[]): Markup {
  return html`<table><thead><tr><th scope="col">Network</th><th scope="col" class="r">Refused</th><th scope="col" class="r">Clients</th></tr></thead>
<tbody>${networks.map(
    ({ network, clients, requests }) =>
      html`<tr><td>${network}</td><td class="r refused">${count(requests)}</td><td class="r">${count(clients)}</td></tr>`,
  )}</tbody></table>`
}

function levelsOf(refusedBy: Result['refusedBy']): Markup {
  return html`<table><thead><tr><th scope="col">Limit</th><th scope="col" class="r">Refused</th></tr></thead>
<tbody>${refusedBy.map(({ level, refused }) => html`<tr><td>${level}</td><td class="r refused">${count(refused)}</td></tr>`)}</tbody></table>`
}

/** How the log was read, and its unusual lines; nothing if there is nothing to say. */
export function oddLinesOf(log: LogFacts | null): Markup | null {
  if (log === null) return null
  const { malformed, firstMalformed, lines, movedOn, withoutKey, others } = log
  const sentences = [
    ...clientLines(log).map((line) => `${line}.`),
    malformed > 0 && `${count(malformed)} of ${count(lines)} could not be read.`,
    withoutKey > 0 && `${count(withoutKey)} name no client, so they were left out.`,
    others > 0 && `${count(others)} are of no request, so they were left out.`,
    movedOn > 0 && `${count(movedOn)} came so late that they count at the time of the lines before.`,
  ].filter((sentence) => sentence !== false)
  if (sentences.length === 0) return null
  return html`<section aria-labelledby="odd"><h2 id="odd">Lines of the log</h2>
<div class="card">${sentences.map((sentence) => html`<p>${sentence}</p>`)}${firstOf(firstMalformed)}</div></section>`
}

function firstOf(first: LogFacts['firstMalformed']): Markup | null {
  if (first === null) return null
  const { source, line, reason, text } = first
  return html`<p>The first that could not be read is line ${count(line)} of <bdi>${source}</bdi>: ${reason}.</p>
<pre><code>${text}</code></pre>`
}
