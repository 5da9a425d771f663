import {
  fixedWindow,
  gcra,
  leakyBucket,
  memoryStore,
  multiWindow,
  type Policy,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
} from '@sluice/core'
import { checkOf, Process, Server, seeded, VirtualTime } from './virtual.ts'

const aheadUs = 20_000
/** A process's clock may run so much faster or slower than the server's. */
const mostDrift = 500e-6
/** Rates are those of a policy of this limit. */
const usualLimit = 300
/** How many times as much is asked for. */
const moods = [0.05, 0.2, 0.5, 1, 5]

interface Use {
  readonly atUs: number
  readonly cost: number
}

interface History {
  readonly uses: readonly Use[]
  /** When the server was asked first. */
  readonly firstUs: number
}

interface About {
  readonly limit: number
  readonly seed: number
  /** The server's clock goes so far ahead in the middle, or back. @default 0 */
  readonly stepUs?: number
}

/**
 * Some processes of uneven traffic over a few seconds, with pauses, deaths, new processes in the place of dead ones, slow calls, lost
 * replies and clocks that show another time and run at another speed; answers all uses.
 */
async function historyOf(policy: Policy, { limit, seed, stepUs = 0 }: About): Promise<History> {
  const random = seeded(seed)
  const time = new VirtualTime()
  const server = new Server(time)
  const uses: Use[] = []
  const lossy = random() < 0.5 ? 0 : random() * 0.1
  const slowUs = 200 + random() * 15_000
  const trouble = {
    latencyUs: () => Math.floor(random() ** 4 * slowUs),
    losesReply: () => random() < lossy,
  }
  const untilUs = time.nowUs + 2_500_000
  function start(): Process {
    const offsetUs = Math.floor(random() * 1e12)
    return new Process(server, aheadUs, { trouble, offsetUs, drift: (2 * random() - 1) * mostDrift })
  }
  // Quiet times, in which nothing is used up, and rushes.
  let pressure = 1
  const turn = () => {
    pressure = moods[Math.floor(random() * moods.length)] ?? 1
    time.at(time.nowUs + Math.floor(20_000 + random() * 400_000), turn)
  }
  if (random() < 0.7) turn()
  const count = 1 + Math.floor(random() * 5)
  for (let i = 0; i < count; i++) {
    let process = start()
    const rate = ((random() ** 2 * 3000 + 20) * limit) / usualLimit
    // Some ask in clumps, so that units are in hand while none is used, and then many at once.
    const clump = random() < 0.5 ? 1 : 1 + Math.floor((random() * limit) / 10)
    const arrive = () => {
      const cost = random() < 0.9 ? 1 : 1 + Math.floor(random() * 5)
      const asked = process.runs
        ? process.ask([checkOf(policy, aheadUs, { cost })], (atUs) => uses.push({ atUs, cost }))
        : 'done'
      const fate = random()
      if (fate < 0.0005) {
        process.dead = true
        if (fate < 0.00025) return asked
        process = start()
      } else if (fate < 0.002) process.pausedUntilUs = time.nowUs + Math.floor(random() * 200_000)
      const goesOn = random() > 1 / clump
      const gapUs = goesOn ? random() * 10 : (-Math.log(1 - random()) * 1e6 * clump) / (rate * pressure)
      time.at(time.nowUs + Math.floor(gapUs), arrive)
      return asked
    }
    time.at(time.nowUs + Math.floor(random() * 1e6), arrive)
  }
  time.at((time.nowUs + untilUs) / 2, () => {
    server.aheadUs = stepUs
  })
  await time.until(untilUs)
  return { uses: uses.sort((a, b) => a.atUs - b.atUs), firstUs: server.firstUs ?? 0 }
}

/** How many uses the policy itself, asked at their instants, would have refused. */
function refusedOf({ uses }: Pick<History, 'uses'>, { policy }: { policy: Policy }): number {
  let nowUs = 0
  const store = memoryStore({ clock: { nowUs: () => nowUs } })
  let refused = 0
  for (const { atUs, cost } of uses) {
    nowUs = atUs
    const check = { ...checkOf(policy, aheadUs, { cost }), policy }
    const question = { checks: [check], charge: 'all-or-nothing', maxWaitUs: 0, take: true } as const
    const [row] = store.answer(question) as readonly { allowed: boolean }[] // memory answers at once
    if (row?.allowed !== true) refused++
  }
  return refused
}

/** Of a policy that has nothing to give before its first question, which is refused. */
function refusedSince({ uses, firstUs }: History, about: { policy: Policy }): number {
  return refusedOf({ uses: [{ atUs: firstUs, cost: 1 }, ...uses] }, about) - 1
}

/** The most in any window. */
function mostIn(windowUs: number, uses: readonly Use[]): number {
  let most = 0
  let sum = 0
  let first = 0
  for (const { atUs, cost } of uses) {
    sum += cost
    for (let old = uses[first]; old !== undefined && old.atUs <= atUs - windowUs; old = uses[++first])
      sum -= old.cost
    most = Math.max(most, sum)
  }
  return most
}

interface Proof {
  readonly make: (limit: number) => Policy
  /** Units beyond what the policy allows, or uses that it would have refused itself at their instants. */
  excess(history: History, about: { policy: Policy; limit: number }): number
}

const window = '1s'
/** Of a policy with two windows, the shorter allows a third in a fifth of the time. */
const nested = (limit: number) => [
  { limit: Math.floor(limit / 3), windowUs: 200_000 },
  { limit, windowUs: 1_000_000 },
]

export const proofs: { readonly [strategy: string]: Proof } = {
  slidingWindowLog: { make: (limit) => slidingWindowLog({ limit, window }), excess: refusedOf },
  gcra: {
    make: (limit) => gcra({ count: limit, period: window, burst: Math.floor(limit / 3) }),
    excess: refusedOf,
  },
  tokenBucket: {
    make: (limit) => tokenBucket({ capacity: Math.floor(limit / 2), count: limit, period: window }),
    excess: refusedOf,
  },
  'tokenBucket that starts empty': {
    make: (limit) =>
      tokenBucket({ capacity: Math.floor(limit / 2), count: limit, period: window, start: 'empty' }),
    excess: refusedSince,
  },
  leakyBucket: {
    make: (limit) => leakyBucket({ capacity: limit, count: limit, period: '1.1s' }),
    excess: refusedOf,
  },
  slidingWindowCounter: { make: (limit) => slidingWindowCounter({ limit, window }), excess: refusedOf },
  fixedWindow: { make: (limit) => fixedWindow({ limit, window, start: 'clock' }), excess: refusedOf },
  multiWindow: {
    make: (limit) =>
      multiWindow({
        limits: nested(limit).map((each) => ({ limit: each.limit, window: each.windowUs / 1000 })),
      }),
    excess: ({ uses }, about) =>
      nested(about.limit).reduce(
        (sum, { limit, windowUs }) => sum + Math.max(0, mostIn(windowUs, uses) - limit),
        0,
      ),
  },
}

interface Proved {
  readonly admitted: number
  readonly excess: number
  /** In any window of a second. */
  readonly most: number
}

/** Runs one history of a policy of that limit; answers how much was admitted, and how much above the policy. */
export async function proved(strategy: string, about: About): Promise<Proved> {
  const proof = proofs[strategy]
  if (proof === undefined) throw new Error(`no proof of ${strategy}`)
  const { limit } = about
  const policy = proof.make(limit)
  const history = await historyOf(policy, about)
  const { uses } = history
  return { admitted: uses.length, excess: proof.excess(history, { policy, limit }), most: mostIn(1e6, uses) }
}
