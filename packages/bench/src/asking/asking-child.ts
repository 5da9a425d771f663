import { ownCpuUs } from '../cpu-time.ts'
import { serve } from '../helper.ts'
import { scattered } from '../policies.ts'
import { type Contender, disturbed, isDisturbed, undisturbed, warmUp } from '../rounds.ts'
import { inOrder, type Latencies, latencies, type Rate } from './arrivals.ts'
import { keysFor } from './keys.ts'
import { type LibraryName, libraries } from './libraries.ts'
import { openPlace } from './place.ts'
import { askRaw } from './raw.ts'
import type { Asker, ClientName, Work } from './work.ts'

// Started by a Crew: one library over one connection, or in memory.
const [library, client, socket = ''] = process.argv.slice(2) as [LibraryName, ClientName | 'memory', string]

interface LaneAbout {
  readonly lane: string
  readonly work: Work
  readonly atOnce: number
}

export interface Figures {
  readonly perSecond: number
  /** For each, by the clock. */
  readonly ns: number
  /** CPU time of this process for each. */
  readonly cpuNs: number
  readonly nodeUs: number
}

interface Made {
  readonly about: LaneAbout
  readonly contender: Contender
  readonly asker: Asker
  readonly keys: readonly string[]
  readonly atOnce: number
}

/** Asks with a constant number in flight. */
function contenderOf(
  name: string,
  { ask, isRight }: Asker,
  about: { keys: readonly string[]; atOnce: number },
) {
  const { keys, atOnce } = about
  let at = 0
  async function askInTurn(times: number): Promise<number> {
    let wrong = 0
    for (let i = 0; i < times; i++) {
      at = at + 1 === keys.length ? 0 : at + 1
      let answer: unknown
      try {
        answer = await ask(keys[at] ?? '')
      } catch (thrown) {
        answer = thrown
      }
      if (!isRight(answer)) wrong++
    }
    return wrong
  }
  return {
    name,
    async run(times: number) {
      const each = Math.ceil(times / atOnce)
      const wrong = await Promise.all(Array.from({ length: atOnce }, () => askInTurn(each)))
      if (wrong.some((count) => count > 0))
        throw disturbed(`${library}, ${name}: not every answer was right.`)
    },
  }
}

let place = await openPlace(client, socket)
const makeAsker = await libraries[library]()
const lanes = new Map<string, Made>()

function laneOf(name: string): Made {
  const lane = lanes.get(name)
  if (lane === undefined) throw new Error(`No lane ${name}.`)
  return lane
}

/** False: the library has nothing of that kind. Every key is asked once, so that its state is there. */
async function make(about: LaneAbout): Promise<boolean> {
  const { lane, work, atOnce } = about
  const asker = await (work.strategy === 'raw' ? askRaw : makeAsker)(place, work)
  if (asker === undefined) return false
  const keys = scattered(keysFor(work))
  let wrong = 0
  await inOrder(keys, 256, async (key) => {
    try {
      if (!asker.isRight(await asker.ask(key))) wrong++
    } catch (thrown) {
      if (thrown instanceof Error) throw thrown
    }
  })
  // A key that is to be refused is admitted at first.
  if (wrong > 0 && work.refused !== true) throw disturbed(`${library}, ${lane}: not every answer was right.`)
  lanes.set(lane, { about, asker, keys, atOnce, contender: contenderOf(lane, asker, { keys, atOnce }) })
  return true
}

/**
 * A store that has once answered without Redis compares its own counts with the answers of Redis, for as long as they matter. After a
 * disturbance all lanes have another one, over another connection.
 */
async function anewIfDisturbed<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (isDisturbed(error)) await undisturbed(makeAnew)
    throw error
  }
}

async function makeAnew(): Promise<void> {
  place = await openPlace(client, socket)
  for (const { about } of lanes.values()) await make(about)
}

const duties = {
  make: (about: LaneAbout): Promise<boolean> => anewIfDisturbed(() => make(about)),

  /** How many checks fill a turn: as many for each of those in flight. */
  warmUp({ lane, turnMs }: { lane: string; turnMs: number }): Promise<number> {
    return anewIfDisturbed(async () => {
      const { contender, atOnce } = laneOf(lane)
      return atOnce * Math.ceil((await warmUp(contender, turnMs)) / atOnce)
    })
  },

  turn({ lane, times }: { lane: string; times: number }): Promise<Figures> {
    return anewIfDisturbed(async () => {
      const { contender } = laneOf(lane)
      const fromUs = ownCpuUs()
      const startedAt = performance.now()
      await contender.run(times)
      const elapsedMs = performance.now() - startedAt
      const nodeUs = (ownCpuUs() - fromUs) / times
      return {
        perSecond: (times * 1000) / elapsedMs,
        ns: (elapsedMs * 1e6) / times,
        cpuNs: nodeUs * 1000,
        nodeUs,
      }
    })
  },

  arrivals(about: Rate & { lane: string }): Promise<Latencies> {
    return anewIfDisturbed(async () => {
      const { asker, keys } = laneOf(about.lane)
      const { wrong, ...spread } = await latencies(about, async (i) => {
        const answer = await asker.ask(keys[i % keys.length] ?? '')
        return asker.isRight(answer)
      })
      if (wrong > 0) throw disturbed(`${library}, ${about.lane}: not every answer was right.`)
      return spread
    })
  },
}

export type AskingDuties = typeof duties

serve(duties)
