import { oneLine } from '../../one-line.ts'
import { count, counted, share } from '../words.ts'
import type { Suggestion, Suggestions } from './suggestion.ts'

/** For whom numbers were sought, in one sentence. */
export function aimWords({ mostRefused, busiestMinute, wellBehaved, others }: Suggestions): string {
  const all = wellBehaved.clients + others.clients
  const who = `${count(wellBehaved.clients)} of ${counted(all, 'client')} count as well-behaved`
  const why = `at most ${counted(busiestMinute, 'request')} in any minute`
  return `${who} (${why}); up to ${share(mostRefused)} of them may be refused`
}

/** Whom a suggestion would have refused. */
export function refusalWords({ wellBehaved, others }: Suggestion, of: Suggestions): string {
  const them = `${count(wellBehaved.clients)} of ${count(of.wellBehaved.clients)}`
  const rest = `${count(others.clients)} of ${count(of.others.clients)} others`
  return `refuses ${them} (${counted(wellBehaved.requests, 'request')}) and ${rest} (${counted(others.requests, 'request')})`
}

/** What the terminal shows of suggestions. */
export function suggestionLines(suggestions: Suggestions, bold: (text: string) => string): readonly string[] {
  const found = suggestions.found.flatMap((suggestion) => [
    `${bold(suggestion.text)} ${refusalWords(suggestion, suggestions)}`,
    `  ${suggestion.code}`,
    `  ${suggestion.yaml}`,
  ])
  return [`Suggested: ${aimWords(suggestions)}`, ...found, ...suggestions.notFound.map(notFoundWords)]
}

/** `uniform:10s` was asked for its strategy and its times. */
export function notFoundWords(text: string): string {
  return `${oneLine(text)}: whatever its numbers, it refuses more`
}
