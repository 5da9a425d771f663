import type { Candidate, Contender } from '../candidate.ts'
import type { Comparison, Input, RefusedClient, Result } from '../comparison.ts'
import type { Request, Requests } from '../request.ts'
import { Behaviour, usuallyWellBehaved, type WellBehaved } from '../well-behaved.ts'
import { byNetwork } from './by-network.ts'
import { Counts } from './counts.ts'
import { Course } from './course.ts'
import { Fullest } from './fullest.ts'
import { Names } from './names.ts'
import { sum, Timeline } from './timeline.ts'
import { Trial } from './trial.ts'

/** The most clients and keys with names. */
const maxNames = 1_000_000
const maxRefusedClients = 20
/** A network with a smaller share of all requests is not shown; of the others, no more than `mostNetworks` are. */
const largeShare = 0.2
const mostNetworks = 3
/** A share of fewer clients says nothing. */
const fewestToJudge = 20

/** What the replay finds out about the traffic. */
type Traffic = Omit<Input, 'source' | 'clientBy' | 'log'>

export interface Replayed extends Pick<Comparison, 'timeline'> {
  readonly traffic: Traffic
  readonly results: readonly Result[]
}

interface Round {
  readonly keyedBy: string
  readonly main: Trial
  readonly course: Course
  readonly tighter: Trial | null
  readonly looser: Trial | null
}

/** Sends every request to every contender, with the clock set to the request's time. */
export async function replay(
  requests: Requests,
  contenders: readonly Contender[],
  wellBehavedShare: number = usuallyWellBehaved,
): Promise<Replayed> {
  const run = new Run()
  for (const contender of contenders) await run.add(contender)
  for await (const batch of requests) {
    for (const request of batch) await run.take(request)
    run.noteKeys()
  }
  await run.close()
  return run.replayed(wellBehavedShare)
}

class Run {
  readonly #clock = { us: 0, nowUs: (): number => this.#clock.us }
  readonly #timeline = new Timeline()
  readonly #offeredOverTime = this.#timeline.column(sum)
  readonly #names = new Names(maxNames)
  readonly #offered = new Counts()
  readonly #behaviour = new Behaviour()
  readonly #peak = new Fullest(1e6)
  readonly #rounds: Round[] = []
  readonly #trials: Trial[] = []
  #requests = 0
  #units = 0
  #ofOthers = 0
  #fromUs = 0

  async add({ keyedBy, candidate, tighter, looser }: Contender): Promise<void> {
    this.#rounds.push({
      keyedBy,
      main: await this.#open(candidate),
      course: new Course(candidate, this.#timeline),
      tighter: tighter && (await this.#open(tighter)),
      looser: looser && (await this.#open(looser)),
    })
  }

  async #open(candidate: Candidate): Promise<Trial> {
    const trial = new Trial(candidate, await candidate.open(this.#clock))
    this.#trials.push(trial)
    return trial
  }

  async take(request: Request): Promise<void> {
    const { atUs } = request
    this.#clock.us = atUs
    if (this.#requests++ === 0) this.#fromUs = atUs
    const client = this.#names.numberOf(request.client)
    const key = request.key === request.client ? client : this.#names.numberOf(request.key)
    const place = this.#timeline.placeOf(atUs)
    this.#noteOffer(request, client, place)
    for (const { main, course, tighter, looser } of this.#rounds) {
      const decision = await main.ask(request)
      main.note(decision, client)
      course.note(decision, request, { place, key })
      tighter?.note(await tighter.ask(request), client)
      looser?.note(await looser.ask(request), client)
    }
  }

  #noteOffer({ atUs, cost }: Request, client: number, place: number): void {
    this.#units += cost
    this.#offeredOverTime[place] = (this.#offeredOverTime[place] ?? 0) + 1
    this.#peak.add(atUs, 1)
    if (client < 0) this.#ofOthers++
    else {
      this.#offered.add(client, 1)
      this.#behaviour.add(client, atUs)
    }
  }

  noteKeys(): void {
    for (const trial of this.#trials) trial.noteKeys()
  }

  async close(): Promise<void> {
    for (const trial of this.#trials) await trial.close()
  }

  replayed(wellBehavedShare: number): Replayed {
    const behaved = this.#clients < fewestToJudge ? null : this.#behaviour.wellBehaved(wellBehavedShare)
    const stepMs = this.#timeline.stepUs / 1000
    const fromMs = this.#timeline.fromUs / 1000
    return {
      traffic: this.#traffic(behaved),
      timeline: { fromMs, stepMs, offered: this.#offeredOverTime },
      results: this.#rounds.map((round) => this.#result(round, behaved)),
    }
  }

  get #clients(): number {
    return this.#offered.positive
  }

  #traffic(behaved: WellBehaved | null): Traffic {
    const toUs = this.#clock.us
    const { sum: count, atUs } = this.#peak.found
    return {
      requests: this.#requests,
      units: this.#units,
      clients: this.#clients,
      requestsOfOthers: this.#ofOthers,
      fromMs: this.#fromUs / 1000,
      toMs: toUs / 1000,
      requestsPerSecond: this.#requests / Math.max(1, (toUs - this.#fromUs) / 1e6),
      peak: { count, atMs: atUs / 1000 },
      networks: byNetwork(this.#offered, this.#names)
        .filter(({ requests }) => requests >= this.#requests * largeShare)
        .slice(0, mostNetworks),
      wellBehaved: behaved && { clients: behaved.wellBehaved.clients, busiestMinute: behaved.busiestMinute },
    }
  }

  #result({ keyedBy, main, course, tighter, looser }: Round, behaved: WellBehaved | null): Result {
    const { text, title, rule } = main.candidate
    return {
      text,
      title,
      rule,
      keyedBy,
      ...main.outcome,
      wellBehavedRefused: behaved ? main.refusedOf.numbers.filter(behaved.has).length : 0,
      keysForgotten: main.full,
      refusedClients: this.#refusedClients(main),
      refusedNetworks: byNetwork(main.refusedOf, this.#names).slice(0, maxRefusedClients),
      tighter: tighter?.variant ?? null,
      looser: looser?.variant ?? null,
      ...course.result(this.#names),
    }
  }

  #refusedClients({ refusedOf }: Trial): readonly RefusedClient[] {
    return refusedOf.largest(maxRefusedClients).map((client) => ({
      client: this.#names.nameOf(client),
      offered: this.#offered.of(client),
      refused: refusedOf.of(client),
    }))
  }
}
