/** As nginx (`t=1700000000.123`), Heroku (milliseconds) and Apache (`t=` and microseconds) write it. */
const written = /^(?:t=)?(\d{1,17}(?:\.\d{1,6})?)$/
/** Whatever is older was written by no proxy of this request. */
const oldestMs = 600_000

/** How long a request has waited since a proxy saw it; 0 where the header does not say, or says what cannot be. */
export function waitedMsOf(header: string | readonly string[] | undefined, nowMs: number): number {
  const [, digits] = typeof header === 'string' ? (written.exec(header) ?? []) : []
  if (digits === undefined) return 0
  const waitedMs = nowMs - epochMs(Number(digits))
  return waitedMs > 0 && waitedMs <= oldestMs ? waitedMs : 0
}

/** Seconds, milliseconds or microseconds since 1970, by their size. */
function epochMs(value: number): number {
  if (value < 1e11) return value * 1000
  return value < 1e14 ? value : value / 1000
}
