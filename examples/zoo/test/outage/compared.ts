import { isDeepStrictEqual } from 'node:util'
import { expect } from '@jest/globals'
import { until } from '../program.ts'
import type { RunningZoo } from '../zoo.ts'
import type { About, Counts, Ledger } from './ledger.ts'
import { metricsOf, type SeenOf, tigersIn, totalsOn } from './reported.ts'

interface Settings {
  /** The process whose dashboard is opened before the outage too. */
  readonly early: RunningZoo
  readonly late: RunningZoo
  readonly ledger: Ledger
  /** Types a line of the page. */
  shell(command: string): Promise<{ readonly out: string }>
}

type PhasesOf = About & Required<Pick<About, 'phases'>>

/** What processes and commands say, beside what the test has counted itself. */
export class Compared {
  readonly #settings: Settings

  constructor(settings: Settings) {
    this.#settings = settings
  }

  /** Whatever has happened: each process has counted each of its requests once, as what it was. */
  async metrics(): Promise<void> {
    const { early, late, ledger } = this.#settings
    for (const zoo of [early, late])
      for (const attraction of ledger.attractions) {
        const { admitted, limited } = ledger.of({ zoo, attraction, phases: ['away'] })
        const counted = { ...ledger.of({ zoo, attraction }), fallback: admitted + limited }
        expect({ attraction, ...(await metricsOf(zoo, attraction)) }).toEqual({ attraction, ...counted })
      }
  }

  /** `sluice top` counts over the last five seconds: all that the tigers have had. */
  async top(): Promise<void> {
    const { ledger, shell } = this.#settings
    const { admitted, limited } = ledger.of({ attraction: 'tiger' })
    const counted = { attraction: { admitted, refused: 0 }, visitor: { admitted, refused: limited } }
    await until(`tigers in top: ${JSON.stringify(counted)}`, async () => {
      const { processes } = JSON.parse((await shell('sluice top --once --json')).out) as {
        readonly processes: readonly SeenOf[] // what follows compares it
      }
      return isDeepStrictEqual(tigersIn(processes), counted)
    })
    const { out } = await shell('sluice top --once')
    expect(out).toMatch(/^REFUSED MOST .*\nmallory +tiger\.visitor +\d+$/m)
  }

  /** The key that both processes count together, over a window of ten seconds. */
  async inspect(): Promise<void> {
    const { ledger, shell } = this.#settings
    const fromMs = performance.now()
    const { out } = await shell('sluice inspect tiger --limiter tiger --json')
    const { limit, remaining } = JSON.parse(out).limiters[0].policies.attraction
    const { least, most } = ledger.admittedIn('tiger', 10_000, [fromMs, performance.now()])
    expect(limit - remaining).toBeGreaterThanOrEqual(least)
    expect(limit - remaining).toBeLessThanOrEqual(most)
  }

  /** A page before the alert has what both processes have decided. */
  earlyPage(): Promise<void> {
    return this.#page(this.#settings.early, { phases: ['before'] })
  }

  /** In the outage a page has what its own process decides; one that was there before keeps what it had. */
  async pagesInTheOutage(): Promise<void> {
    const { early, late } = this.#settings
    await this.#page(early, { phases: ['before'] }, { phases: ['away'], zoo: early })
    await this.#page(late, { phases: ['away'], zoo: late })
  }

  /** Once Redis is back, what the other process has decided is added. What Redis knew before is gone with it. */
  async pagesAfterIt(): Promise<void> {
    const { early, late } = this.#settings
    await this.#page(early, { phases: ['before', 'away', 'after'] })
    await this.#page(late, { phases: ['away', 'after'] })
  }

  /** The page of a process has all requests that one of these means. */
  async #page(zoo: RunningZoo, ...meant: readonly PhasesOf[]): Promise<void> {
    const { ledger } = this.#settings
    const sum = (abouts: readonly About[], of: (counts: Counts) => number, more: About = {}) =>
      abouts.reduce((all, about) => all + of(ledger.of({ ...about, ...more })), 0)
    const inOutage = meant.filter(({ phases }) => phases.includes('away'))
    const rows = ledger.attractions.map((attraction) => [
      attraction,
      sum(meant, ({ admitted }) => admitted, { attraction }),
    ])
    const counted = {
      admitted: sum(meant, ({ admitted }) => admitted),
      refused: sum(meant, ({ limited, denied }) => limited + denied),
      // A list refuses without asking Redis.
      local: sum(inOutage, ({ admitted, limited }) => admitted + limited, { phases: ['away'] }),
      rows: Object.fromEntries(rows),
    }
    expect(await totalsOn(zoo, counted)).toEqual(counted)
  }
}
