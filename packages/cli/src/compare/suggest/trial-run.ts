import type { Candidate } from '../candidate.ts'
import type { WellBehaved } from '../well-behaved.ts'
import type { Kept } from './kept.ts'
import type { Refusals } from './suggestion.ts'

/** Traffic, and its well-behaved clients. */
export interface Scene {
  readonly kept: Kept
  readonly wellBehaved: WellBehaved
}

/** Whether at most `most` well-behaved clients are refused; stops as soon as that is known. */
export async function refusesAtMost(most: number, candidate: Candidate, scene: Scene): Promise<boolean> {
  const { kept, wellBehaved } = scene
  const refused = new Tally(kept.names)
  // If each client has its own key, other clients cannot matter, nor can requests after a first refusal.
  const matters = (client: number): boolean =>
    !kept.clientsOwnKeys || (wellBehaved.has(client) && !refused.has(client))
  await replay(kept, candidate, matters, (client) => {
    if (wellBehaved.has(client)) refused.add(client)
    return refused.clients <= most
  })
  return refused.clients <= most
}

/** How many clients and requests a candidate refuses. */
export async function refusalsOf(
  candidate: Candidate,
  { kept, wellBehaved }: Scene,
): Promise<{ readonly wellBehaved: Refusals; readonly others: Refusals }> {
  const [ofThem, ofOthers] = [new Tally(kept.names), new Tally(kept.names)]
  await replay(
    kept,
    candidate,
    () => true,
    (client) => {
      const tally = wellBehaved.has(client) ? ofThem : ofOthers
      tally.add(client)
      return true
    },
  )
  return { wellBehaved: ofThem.refusals, others: ofOthers.refusals }
}

/** Replays the requests that matter, with a separate clock, until `refused` returns false. */
async function replay(
  kept: Kept,
  candidate: Candidate,
  matters: (client: number) => boolean,
  refused: (client: number) => boolean,
): Promise<void> {
  const clock = { us: 0, nowUs: (): number => clock.us }
  const { ask, close } = await candidate.open(clock)
  for (let at = 0; at < kept.size; at++) {
    const client = kept.clientAt(at)
    if (!matters(client)) continue
    clock.us = kept.atUs(at)
    const { allowed } = await ask(kept.request(at))
    if (!allowed && !refused(client)) break
  }
  await close()
}

/** Counts refusals and refused clients. */
class Tally {
  readonly #refused: Uint8Array
  #clients = 0
  #requests = 0

  constructor(names: number) {
    this.#refused = new Uint8Array(names)
  }

  get clients(): number {
    return this.#clients
  }

  get refusals(): Refusals {
    return { clients: this.#clients, requests: this.#requests }
  }

  has(client: number): boolean {
    return this.#refused[client] === 1
  }

  add(client: number): void {
    this.#requests++
    if (!this.has(client)) this.#clients++
    this.#refused[client] = 1
  }
}
