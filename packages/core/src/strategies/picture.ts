/** How pages and reports describe and draw a policy. */
export interface Picture {
  /** `sliding window log` */
  readonly title: string
  /** `100 in 10 s` */
  readonly rule: string
  /** The span over which a chart adds up what was admitted: of a rate, the time in which a used-up key has its full limit again. */
  readonly windowUs: number
  /**
   * What one key must have got in that span before it is refused; null if there is no such number. A rate and a fixed window can
   * admit up to twice as much.
   */
  readonly most: number | null
  /** Whether never more than `most` passes in any such span, to the microsecond. */
  readonly exact?: true
  /** Of a rate: the most that one key can get in a span of any length. */
  readonly mostIn?: (spanUs: number) => number
  /** How windows are drawn; `in-flight`: the number in flight, not a sum. */
  readonly shape: 'sliding' | 'fixed' | 'nested' | 'none' | 'in-flight'
  /** For `nested`: all spans, the shortest first. */
  readonly windowsUs?: readonly number[]
}

/** The window over which a policy without one is drawn. */
export const rateWindowUs = 10e6

/** The shortest first. */
const spans = [
  { us: 1e6, word: 's' },
  { us: 60e6, word: 'min' },
  { us: 3600e6, word: 'h' },
  { us: 86_400e6, word: 'd' },
] as const
const inMs = { us: 1e3, word: 'ms' } as const

/** `10 s`, `1 min`, `90 s`, `1500 ms`: the largest unit that needs no fraction. */
export function spanWords(us: number): string {
  const { us: unitUs, word } = spans.findLast((span) => us % span.us === 0) ?? inMs
  return `${us / unitUs} ${word}`
}

/** `10/s`, `100/min`, `0.5/d`: the shortest unit in which the rate is a whole number, or else at least one. */
export function rateWords(perUs: number): string {
  const rates = spans.map(({ us, word }) => ({ rate: perUs * us, word }))
  const whole = rates.find(
    ({ rate }) => Math.round(rate) >= 1 && Math.abs(rate - Math.round(rate)) / rate < 1e-4,
  )
  if (whole !== undefined) return `${Math.round(whole.rate)}/${whole.word}`
  const some = rates.find(({ rate }) => rate >= 1) ?? { rate: perUs * 86_400e6, word: 'd' }
  return `${Number(some.rate.toPrecision(3))}/${some.word}`
}

/** The window of a rate, in which a used-up key has its full limit again. From a second on in whole milliseconds, as parts are rounded. */
export function rateWindow(fullUs: number): number {
  return fullUs < 1e6 ? fullUs : 1000 * Math.round(fullUs / 1000)
}

/** For a strategy with one limit and one window. */
export function windowPicture(about: {
  readonly title: string
  readonly shape: 'sliding' | 'fixed'
  readonly limit: number
  readonly windowUs: number
}): Picture {
  const { title, shape, limit, windowUs } = about
  return { title, rule: `${limit} in ${spanWords(windowUs)}`, windowUs, most: limit, shape }
}
