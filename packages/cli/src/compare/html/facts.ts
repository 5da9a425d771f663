import type { Input } from '../comparison.ts'
import { count, counted, day, keyWord, rate, share, time } from '../words.ts'
import { html, type Markup } from './markup.ts'

/** Facts about the traffic, independent of policies. */
export function factsOf(input: Input): Markup {
  const { clients, requests, units, peak, log } = input
  const asked = units === requests ? 'sent' : counted(units, 'unit')
  return html`<dl class="totals">
${fact('Requests', count(requests), asked)}
${fact('Clients', count(clients), clientsNote(input))}
${fact('On average', rate(input.requestsPerSecond), 'requests per second')}
${fact('Busiest second', count(peak.count), peak.count === 0 ? 'no request' : `requests, at ${time(peak.atMs)}`)}
${fact('Time', ...spanOf(input))}
${log === null ? null : fact('Lines not read', count(log.malformed), partOf(log.malformed, log.lines))}
</dl>`
}

function fact(label: string, value: string, note: string): Markup {
  return html`<div><dt>${label}</dt><dd><b>${value}</b> <span>${note}</span></dd></div>`
}

function clientsNote({ clientBy, requestsOfOthers }: Input): string {
  const others = requestsOfOthers === 0 ? '' : `, and others with ${counted(requestsOfOthers, 'request')}`
  return `identified by ${keyWord(clientBy)}${others}`
}

function spanOf({ requests, fromMs, toMs }: Input): readonly [string, string] {
  if (requests === 0) return ['–', 'no request']
  const [from, to] = [day(fromMs), day(toMs)]
  if (from === to) return [`${time(fromMs)}–${time(toMs)}`, `${from}, UTC`]
  return [`${from}–${to}`, `${time(fromMs)} to ${time(toMs)}, UTC`]
}

function partOf(part: number, all: number): string {
  return `${all === 0 ? '' : `${share(part / all)} `}of ${counted(all, 'line')}`
}
