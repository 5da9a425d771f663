import type { Act } from '@sluice/core'
import { pictures } from '@sluice/core/internal'
import type { EventWords } from './event-log.ts'
import type { KeyWords } from './key-words.ts'
import { visibleText } from './mask.ts'
import { rowName } from './row-info.ts'

export const actTitles: { readonly [act in Act['act']]: string } = {
  block: 'Key blocked',
  unblock: 'Key unblocked',
  reset: 'Key reset',
  set: 'Count of a key set',
  allow: 'Put on the allow list',
  deny: 'Put on the deny list',
  refuse: 'Put on the block list',
  unlist: 'Taken off the lists',
  change: 'Limit changed',
  restore: 'Limit restored',
}

/** `tiger / visitor, bob, for 10 min, by alice: scraper.` A reason may name a key, and is masked like one. */
export function actWords(act: Act, words: KeyWords): EventWords {
  const { forMs, units, to, why, by } = act
  const how = [
    forMs === undefined ? '' : `for ${pictures.spanWords(forMs * 1000)}`,
    units === undefined ? '' : `to ${units.toLocaleString('en')}`,
    to === undefined ? '' : `to ${visibleText(to, false)}`,
    by === undefined ? '' : `by ${visibleText(by, false)}`,
  ].filter((each) => each !== '')
  return (masked) => {
    const reason = why === undefined ? '' : `: ${visibleText(why, masked)}`
    return `${[...whatOf(act, words, masked), ...how].join(', ')}${reason}.`
  }
}

/** What the act is about. The name of a limit is not masked, as it is no client's key. */
function whatOf(act: Act, words: KeyWords, masked: boolean): readonly string[] {
  if (act.act === 'change' || act.act === 'restore') return [visibleText(String(act.key), false)]
  return [rowsOf(act), words.key(act.key, masked)]
}

/** The limiter and policies of an act. An act on a list has no policies, and may be about all limiters. */
function rowsOf({ limiter, limiters, policies }: Act): string {
  if (policies.length > 0) return policies.map((policy) => rowName(limiter, policy)).join(' and ')
  if (limiter !== '') return limiter
  return limiters === undefined ? 'all limiters' : `${limiters.toLocaleString('en')} limiters`
}
