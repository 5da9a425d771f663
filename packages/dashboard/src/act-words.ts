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
}

/** `tiger / visitor, bob, for 10 min, by alice: scraper.` A reason may name a key, and is masked like one. */
export function actWords(act: Act, words: KeyWords): EventWords {
  const { key, forMs, units, why, by } = act
  const rows = rowsOf(act)
  const how = [
    forMs === undefined ? '' : `for ${pictures.spanWords(forMs * 1000)}`,
    units === undefined ? '' : `to ${units.toLocaleString('en')}`,
    by === undefined ? '' : `by ${visibleText(by, false)}`,
  ].filter((each) => each !== '')
  return (masked) => {
    const reason = why === undefined ? '' : `: ${visibleText(why, masked)}`
    return `${[rows, words.key(key, masked), ...how].join(', ')}${reason}.`
  }
}

/** A list has no policies, and may be that of all limiters. */
function rowsOf({ limiter, limiters, policies }: Act): string {
  if (policies.length > 0) return policies.map((policy) => rowName(limiter, policy)).join(' and ')
  if (limiter !== '') return limiter
  return limiters === undefined ? 'all limiters' : `${limiters.toLocaleString('en')} limiters`
}
