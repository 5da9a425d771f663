import { oneLine } from '../one-line.ts'
import { paint } from '../print.ts'
import { wrapped } from '../terminal/text.ts'
import { terminalWidth } from '../terminal/width.ts'
import { clientLines } from './client/lines.ts'
import type { Comparison, Input, LogFacts, Network, Result } from './comparison.ts'
import { suggestionLines } from './suggest/lines.ts'
import { tableOf } from './table.ts'
import { count, counted, day, keyWord, lackingWords, rate, time, wellBehavedWords } from './words.ts'

const maxNamed = 5

/** Prints the report for people: the facts, the table, the refused clients. `width`: of the terminal, null for none. */
export function printReport(comparison: Comparison, width: number | null = terminalWidth()): void {
  const { input, results, suggestions } = comparison
  const print = (lines: readonly string[]) => {
    for (const line of lines) console.log(wrapped(line, width))
  }
  print(factLines(input))
  if (input.requests === 0) return
  console.log(`\n${tableOf(comparison, width)}\n`)
  print(results.flatMap((result) => resultLines(result, input)))
  if (suggestions === null) return
  print(['', ...suggestionLines(suggestions, (text) => paint('bold', text))])
}

function factLines({ source, requests, clients, clientBy, ...input }: Input): string[] {
  const asked = `${counted(requests, 'request')}; ${counted(clients, 'client')} by ${oneLine(keyWord(clientBy))}`
  const lines = [`${paint('bold', oneLine(source))}: ${requests === 0 ? 'no request to replay' : asked}`]
  if (requests > 0)
    lines.push(
      ...clientLines(input.log),
      `${timeWords(input)}, ${rate(input.requestsPerSecond)} a second, at most ${peakWords(input)}`,
    )
  if (input.networks.length > 0) lines.push(`by network: ${networksWords(input.networks)}`)
  if (input.requestsOfOthers > 0)
    lines.push(
      `${counted(input.requestsOfOthers, 'request')} of clients beyond the first million, which are not distinguished`,
    )
  return input.log === null ? lines : [...lines, ...logLines(input.log, requests)]
}

function timeWords({ fromMs, toMs }: Pick<Input, 'fromMs' | 'toMs'>): string {
  const end = day(fromMs) === day(toMs) ? time(toMs) : `${day(toMs)} ${time(toMs)}`
  return `${day(fromMs)} ${time(fromMs)} to ${end} UTC`
}

function peakWords({ peak }: Pick<Input, 'peak'>): string {
  return `${count(peak.count)} in a second (${time(peak.atMs)})`
}

function logLines(
  { lines: read, malformed, firstMalformed: first, movedOn, withoutKey, lacking, others }: LogFacts,
  requests: number,
): string[] {
  const lines: string[] = []
  if (first !== null) {
    const place = `${oneLine(first.source)}:${first.line}: ${oneLine(first.reason)}`
    lines.push(`${count(malformed)} of ${counted(read, 'line')} could not be read, the first is ${place}`)
    lines.push(paint('dim', `  ${oneLine(first.text)}`))
  }
  if (withoutKey > 0 && lacking !== null)
    lines.push(
      `${counted(withoutKey, 'request')} left out, with ${lackingWords(lacking, requests === 0 ? 'the first' : undefined)}`,
    )
  if (others > 0) lines.push(`${counted(others, 'line')} left out: of no request`)
  if (movedOn > 0)
    lines.push(`${counted(movedOn, 'line')} came so late that they count at the time of those before`)
  return lines
}

/** `203.0.113.0/24: 2,310 by 41 clients` */
function networksWords(networks: readonly Network[]): string {
  const named = networks
    .slice(0, maxNamed)
    .map(
      ({ network, clients, requests }) => `${network}: ${count(requests)} by ${counted(clients, 'client')}`,
    )
  const more = networks.length - maxNamed
  return `${named.join('; ')}${more > 0 ? `; and ${counted(more, 'other')}` : ''}`
}

function resultLines(result: Result, { wellBehaved }: Input): string[] {
  const { text, keysForgotten, wellBehavedRefused } = result
  const lines = refusalLines(result)
  if (wellBehaved !== null && wellBehavedRefused > 0)
    lines.push(
      `  ${paint('yellow', 'warning:')} it refuses ${wellBehavedWords(wellBehavedRefused, wellBehaved)}`,
    )
  if (!keysForgotten) return lines
  return [`${oneLine(text)} needed more than a million keys at a time, so it admits too much here`, ...lines]
}

function refusalLines(result: Result): string[] {
  const { text, refused, refusedClients, clientsRefused, refusedNetworks, refusedBy } = result
  if (refused === 0) return [`${oneLine(text)} refuses no requests`]
  const named = refusedClients.slice(0, maxNamed)
  const who = named.map((each) => `${oneLine(each.client)}: ${count(each.refused)} of ${count(each.offered)}`)
  const more = clientsRefused - named.length
  const others = more > 0 ? `; and ${counted(more, 'other')}` : ''
  const levels = refusedBy.map(({ level, refused: times }) => `  ${oneLine(level)} refused ${count(times)}`)
  const networks = refusedNetworks.length === 0 ? [] : [`  by network: ${networksWords(refusedNetworks)}`]
  return [`${paint('bold', oneLine(text))} refuses ${who.join('; ')}${others}`, ...networks, ...levels]
}
