const dayMs = 86_400_000
const numeric = 'numeric'
/** How many clocks are kept: each has a format of Intl, which is costly to make and takes room. */
const mostClocks = 100

const clocks = new Map<string, ZoneClock>()

/** The clock of a time zone; undefined for a name that is none. */
export function clockOf(timeZone: string): ZoneClock | undefined {
  const known = clocks.get(timeZone)
  if (known !== undefined) return known
  try {
    const clock = new ZoneClock(timeZone)
    if (clocks.size >= mostClocks) clocks.clear()
    clocks.set(timeZone, clock)
    return clock
  } catch {
    return undefined
  }
}

/** What clocks in a time zone show, as milliseconds since 1970 as if they were in UTC. */
export class ZoneClock {
  readonly #format: Intl.DateTimeFormat

  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: numeric,
      month: numeric,
      day: numeric,
      hour: numeric,
      minute: numeric,
      second: numeric,
    })
  }

  wallAt(ms: number): number {
    const wholeMs = Math.floor(ms / 1000) * 1000
    const text = this.#format.format(wholeMs)
    const [month = 0, day = 0, year = 0, hour, minute, second] = text.split(/\D+/).map(Number)
    return Date.UTC(year, month - 1, day, hour, minute, second) + ms - wholeMs
  }

  /** The first instant at which clocks show this time or, where they skip it, the first after the skip. */
  firstAt(wallMs: number): number {
    const offsets = [wallMs - dayMs, wallMs + dayMs].map((ms) => this.wallAt(ms) - ms)
    let early = wallMs - Math.max(...offsets)
    if (this.wallAt(early) === wallMs) return early
    let late = wallMs - Math.min(...offsets)
    if (this.wallAt(late) === wallMs) return late
    while (late - early > 1) {
      const middle = Math.floor((early + late) / 2)
      if (this.wallAt(middle) < wallMs) early = middle
      else late = middle
    }
    return late
  }
}
