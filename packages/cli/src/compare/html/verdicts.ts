import type { Comparison, Input, Result } from '../comparison.ts'
import { count, share, wellBehavedWords } from '../words.ts'
import { html, type Markup } from './markup.ts'

/** The result of the comparison, in a sentence for each policy. */
export function verdictsOf({ input, results }: Comparison): Markup {
  const { requests, clients, wellBehaved } = input
  if (requests === 0) return html`<p class="verdict">There is no request to replay.</p>`
  return html`<ul class="verdict">${results.map(
    (result) =>
      html`<li><b>${result.text}</b>: ${sentenceOf(result, clients)}${warningOf(result, wellBehaved)}</li>`,
  )}</ul>`
}

function sentenceOf({ clientsRefused, refused, refusedShare }: Result, clients: number): string {
  const who = refusedOf(clientsRefused, clients)
  if (refused === 0) return `${who}.`
  return `${who}, with ${count(refused)} ${refused === 1 ? 'request' : 'requests'} (${share(refusedShare)}).`
}

function warningOf({ wellBehavedRefused }: Result, wellBehaved: Input['wellBehaved']): string {
  if (wellBehaved === null || wellBehavedRefused === 0) return ''
  return ` It refuses ${wellBehavedWords(wellBehavedRefused, wellBehaved)}.`
}

/** `1 of 249 clients is refused` */
function refusedOf(refused: number, clients: number): string {
  return `${count(refused)} of ${count(clients)} ${clients === 1 ? 'client' : 'clients'} ${refused === 1 ? 'is' : 'are'} refused`
}

/** The result for the title of the tab: that of a single policy, or the range of several. */
export function verdictOf({ input, results }: Comparison): string {
  const refused = results.map(({ clientsRefused }) => clientsRefused)
  const [least, most] = [Math.min(...refused), Math.max(...refused)]
  if (input.requests === 0) return 'No request'
  if (least === most) return refusedOf(most, input.clients)
  return `${count(least)} to ${count(most)} of ${count(input.clients)} clients are refused`
}
