import { oneLine } from '../../one-line.ts'
import { count, counted, share } from '../words.ts'
import type { Suggestion, Suggestions } from './suggestion.ts'

/** Which clients the search was for, in one sentence. */
export function aimWords({ mostRefused, busiestMinute, wellBehaved, others }: Suggestions): string {
  const all = wellBehaved.clients + others.clients
  const who = `${count(wellBehaved.clients)} of ${counted(all, 'client')} count as well-behaved`
  const why = `at most ${counted(busiestMinute, 'request')} in any minute`
  return `${who} (${why}); up to ${share(mostRefused)} of them may be refused`
}

/** How many clients a suggestion would have refused. */
export function refusalWords({ wellBehaved, others }: Suggestion, of: Suggestions): string {
  const them = `${count(wellBehaved.clients)} of ${count(of.wellBehaved.clients)}`
  const rest = `${count(others.clients)} of ${count(of.others.clients)} others`
  return `refuses ${them} (${counted(wellBehaved.requests, 'request')}) and ${rest} (${counted(others.requests, 'request')})`
}

/** The lines for the terminal. */
export function suggestionLines(suggestions: Suggestions, bold: (text: string) => string): readonly string[] {
  const found = suggestions.found.flatMap((suggestion) => [
    `${bold(suggestion.text)} ${refusalWords(suggestion, suggestions)}`,
    `  ${suggestion.code}`,
    `  ${suggestion.yaml}`,
  ])
  return [`Suggested: ${aimWords(suggestions)}`, ...found, ...suggestions.notFound.map(notFoundWords)]
}

/** For a policy, such as `uniform:10s`, for which no numbers were found. */
export function notFoundWords(text: string): string {
  return `${oneLine(text)}: with any numbers, it refuses more`
}
