import type { Clock, Limiter, Policies } from '@sluice/core'
import { Problem } from './answer.ts'
import type { Order } from './order.ts'
import { Run, type RunSettings } from './run.ts'

/** The run that occupies the endpoint, and its end. */
export interface CurrentRun {
  readonly run: Run
  readonly endsUs: number
}

/** A limiter that a dashboard keeps showing, and the time until which its name is taken. */
interface Remembered {
  readonly limiter: Limiter<Policies>
  readonly untilUs: number
}

const maxRemembered = 32

/** The runs of an endpoint, one at a time. There is no timer: the next access ends a run whose time is over. */
export class Runs {
  readonly #settings: RunSettings
  readonly #clock: Clock
  /** By name: a later run with the same name replaces the earlier one. */
  readonly #remembered = new Map<string, Remembered>()
  #open: CurrentRun | null = null

  constructor(settings: RunSettings, clock: Clock) {
    this.#settings = settings
    this.#clock = clock
  }

  get limiters(): readonly Limiter<Policies>[] {
    return [...this.#remembered.values()].map(({ limiter }) => limiter)
  }

  /** null if no run is open. */
  get open(): (CurrentRun & { readonly leftMs: number }) | null {
    if (this.#open === null) return null
    const leftUs = this.#open.endsUs - this.#clock.nowUs()
    if (leftUs > 0) return { ...this.#open, leftMs: Math.ceil(leftUs / 1000) }
    this.end()
    return null
  }

  /** Throws a Problem if no run with that id is open. */
  find(id: string): CurrentRun & { readonly leftMs: number } {
    const { open } = this
    if (open?.run.id === id) return open
    throw new Problem(404, 'No such run is open: it has ended, or never existed.')
  }

  /** Rejects with a Problem while another run is open, or if the store cannot answer. Occupies the endpoint at once. */
  async begin(order: Order): Promise<Run> {
    this.#mustBeFree()
    const run = new Run(order, this.#nameFor(order), this.#settings)
    this.#open = { run, endsUs: this.#clock.nowUs() + order.seconds * 1e6 }
    this.#remember(run.limiter, this.#open.endsUs)
    try {
      await run.open()
      return run
    } catch {
      if (this.#open?.run === run) this.end()
      throw comeBack(503, 'The store does not answer, so no run can begin.', 1)
    }
  }

  end(): void {
    if (this.#open === null) return
    const { run, endsUs } = this.#open
    // The limiter has no store of its own, so there is nothing to wait for.
    void run.limiter.close()
    this.#remember(run.limiter, Math.min(endsUs, this.#clock.nowUs()) + run.echoUs)
    this.#open = null
  }

  /** A run that follows another one with its title so soon that a chart would add them up gets its own name. */
  #nameFor({ title }: Order): string {
    const nowUs = this.#clock.nowUs()
    let name = `crowd ${title}`
    for (let number = 2; (this.#remembered.get(name)?.untilUs ?? 0) > nowUs; number++)
      name = `crowd ${title} ${number}`
    return name
  }

  #mustBeFree(): void {
    const { open } = this
    if (open === null) return
    const { id, order } = open.run
    const seconds = Math.ceil(open.leftMs / 1000)
    throw comeBack(409, `Run ${id}, "${order.title}", holds the endpoint for another ${seconds} s.`, seconds)
  }

  #remember(limiter: Limiter<Policies>, untilUs: number): void {
    this.#remembered.delete(limiter.name)
    this.#remembered.set(limiter.name, { limiter, untilUs })
    if (this.#remembered.size <= maxRemembered) return
    const [oldest = ''] = this.#remembered.keys()
    this.#remembered.delete(oldest)
  }
}

function comeBack(status: number, message: string, seconds: number): Problem {
  return new Problem(status, message, { headers: [['Retry-After', String(seconds)]] })
}
