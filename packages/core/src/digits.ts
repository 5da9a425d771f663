/** The whole number that a text says from one place to before another; NaN where it says none, or one that is not exact. */
export function wholeAt(text: string, from: number, to: number): number {
  if (from >= to) return Number.NaN
  let whole = 0
  for (let i = from; i < to; i++) {
    const digit = text.charCodeAt(i) - 48
    if (digit < 0 || digit > 9) return Number.NaN
    whole = whole * 10 + digit
  }
  return whole <= Number.MAX_SAFE_INTEGER ? whole : Number.NaN
}

/** The whole numbers of a text, with colons between them. */
export function wholesOf(text: string): number[] {
  const wholes: number[] = []
  for (let from = 0; from <= text.length; ) {
    const colon = text.indexOf(':', from)
    const to = colon === -1 ? text.length : colon
    wholes.push(wholeAt(text, from, to))
    from = to + 1
  }
  return wholes
}
