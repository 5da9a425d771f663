const length = 140

/** The part of a text in which a search found something: pieces, those that were found marked. */
export function excerptOf(text, terms) {
  const words = terms.map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const hits = words.length === 0 ? null : new RegExp(`(${words.join('|')})`, 'giu')
  const first = hits === null ? -1 : text.search(hits)
  const from = Math.max(0, first - 40)
  const shown = text.slice(from, from + length)
  const cut = `${from > 0 ? '… ' : ''}${shown}${from + length < text.length ? ' …' : ''}`
  if (hits === null) return [{ part: cut, isHit: false }]
  return cut.split(hits).map((part, i) => ({ part, isHit: i % 2 === 1 }))
}
