import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { everyStrategy } from '@sluice/conformance/every-strategy'
import { gcra, type Limiter, type Policies, type Policy, uniform } from '@sluice/core'
import { partsOf } from '@sluice/core/internal'
import { policyFrom } from '@sluice/core/strategies'
import { Redis } from 'ioredis'
import { serverCpuUs } from '../cpu-time.ts'
import { keysOf, severalGcra } from '../policies.ts'
import { disturbed, type Pace, race, type Spread, spreadOf } from '../rounds.ts'
import { checkAll, grow, kindOf, limiterOver, noteOf, type Subject } from './subjects.ts'

/** One request: a call of the script. */
interface Kind {
  readonly name: string
  readonly policies: { readonly [name: string]: Policy }
  readonly subject?: Subject
  readonly size: number
}

export const severalPolicies: readonly number[] = [3, 10]

export const severalName = (count: number): string => `${count} gcra`

export const sizedName = (subject: Subject, size: number): string => `${kindOf(subject)}, ${size}`

/** Every subject at each of its sizes, and several policies on one request. */
function kindsOf(subjects: readonly Subject[]): readonly Kind[] {
  return [
    ...subjects.flatMap((subject) =>
      subject.cpuSizes.map((size) => {
        const policy = policyFrom(subject.again ?? subject.policy)
        return { name: sizedName(subject, size), policies: { default: policy }, subject, size }
      }),
    ),
    ...severalPolicies.map((count) => ({ name: severalName(count), policies: several(count), size: 1 })),
  ]
}

/** Their names are as long as `default`. */
function several(count: number): { readonly [name: string]: Policy } {
  return Object.fromEntries(Object.values(severalGcra(count)).map((policy, i) => [`policy${i}`, policy]))
}

/** As many connections as a service's processes have: each has one call on the way, so that no two requests share a call. */
const connections = 32
const inAll = 200_000

/** CPU time of the server's own thread for each request, and what comes and goes with it: reading, the script, writing. */
export async function cpuOfCalls(
  socket: string,
  subjects: readonly Subject[],
  pace: Pace,
): Promise<{ readonly [name: string]: Spread }> {
  const clients = Array.from({ length: connections }, () => new Redis(socket))
  const [client = new Redis(socket)] = clients
  await client.flushall()
  const contenders = []
  for (const [place, kind] of kindsOf(subjects).entries()) {
    const keys = keysOf(Math.max(100, Math.min(10_000, inAll / kind.size)))
    // As long as `default`.
    const name = `call-${String(place).padStart(2, '0')}`
    const limiters = clients.map((each) => limiterOver(each, kind.policies, name))
    await fill(kind, { client, limiter: limiters[0] }, keys)
    let asked = 0
    contenders.push({
      name: kind.name,
      async run(times: number) {
        const each = Math.ceil(times / connections)
        await Promise.all(
          limiters.map(async (limiter) => {
            for (let i = 0; i < each; i++) {
              const note = kind.subject === undefined ? {} : noteOf(kind.subject, asked % kind.size)
              const { source, allowed } = await limiter.check(keys[asked++ % keys.length] ?? '', note)
              if (source !== 'redis' || !allowed)
                throw disturbed(`${kind.name}: an answer did not come from Redis.`)
            }
          }),
        )
      },
    })
  }
  const laps = await race(contenders, pace, async (contender, times) => {
    const before = await serverCpuUs(client, '_main_thread')
    await contender.run(times)
    return (
      ((await serverCpuUs(client, '_main_thread')) - before) / (connections * Math.ceil(times / connections))
    )
  })
  for (const each of clients) each.disconnect()
  return Object.fromEntries(laps.map(({ name, values }) => [name, spreadOf(values)]))
}

async function fill(
  { subject, size }: Kind,
  { client, limiter }: { client: Redis; limiter: Limiter<Policies> | undefined },
  keys: readonly string[],
): Promise<void> {
  if (subject === undefined || limiter === undefined) return
  const { strategy } = subject.policy
  const isByStep = strategy === 'multiWindow' || strategy === 'fairShare'
  if (isByStep) await grow({ client, limiter, subject }, keys, { from: 0, to: size })
  else await checkAll(limiter, keys, { cost: size })
}

export interface Wire {
  /** From the client to the server. */
  readonly question: number
  readonly answer: number
  /** To each replica. */
  readonly replica: number
}

/** `gcra` has a script of its own for several policies, and `uniform` goes the general way, as whatever is asked beside it. */
export type Beside = 'gcra' | 'uniform'

export const pairName = (beside: Beside, strategy: string): string => `${beside} and ${strategy}`

export const severalWireName = (beside: Beside, count: number): string => `${count} ${beside}`

const ofStrategy: { readonly [strategy: string]: Policy } = everyStrategy(100, '1h')

const others: readonly Beside[] = ['gcra', 'uniform']

function otherPolicy(beside: Beside, nth: number): Policy {
  return beside === 'gcra' ? gcra({ count: 101 + nth, period: '1h' }) : uniform({ interval: 36_000 + nth })
}

/** As usual limits are: numbers go as text. */
function usualPolicy({ policy: { strategy, maxDebt, unit } }: Subject): Policy {
  const usual = ofStrategy[strategy]
  if (usual === undefined) throw new Error(`There is no strategy ${strategy}.`)
  const options = {
    ...(maxDebt !== undefined && { maxDebt: '1m' }),
    ...(unit !== undefined && { unit: 0.01 }),
  }
  return policyFrom({ ...partsOf(usual).options, ...options, strategy })
}

interface WireKind {
  readonly name: string
  readonly policies: readonly Policy[]
  readonly note?: string
}

/** Each subject alone and beside others, and several of these: numbers go as text, these are as long as those of usual limits. */
function wireKindsOf(subjects: readonly Subject[]): readonly WireKind[] {
  return [
    ...subjects.flatMap((subject): readonly WireKind[] => {
      const policy = usualPolicy(subject)
      const note = noteOf(subject, 0)
      return [
        { name: sizedName(subject, 1), policies: [policy], ...note },
        ...others.map((beside) => ({
          name: pairName(beside, kindOf(subject)),
          policies: [otherPolicy(beside, 0), policy],
          ...note,
        })),
      ]
    }),
    ...severalPolicies.flatMap((count) =>
      others.map((beside) => ({
        name: severalWireName(beside, count),
        policies: Array.from({ length: count }, (_, i) => otherPolicy(beside, i)),
      })),
    ),
  ]
}

/** What goes over the network for a request of each kind, with a key of 16 characters. */
export async function wireOfCalls(
  socket: string,
  subjects: readonly Subject[],
): Promise<{ readonly [name: string]: Wire }> {
  const kinds = wireKindsOf(subjects)
  const client = new Redis(socket)
  await client.flushall()
  const sent: { [name: string]: Wire } = {}
  for (const kind of kinds) sent[kind.name] = await wireOf(client, kind)
  // What goes to a replica would count among the answers.
  const replica = await replicaOf(socket)
  const wires: { [name: string]: Wire } = {}
  for (const kind of kinds) {
    const { name } = kind
    const { question = 0, answer = 0 } = sent[name] ?? {}
    wires[name] = { question, answer, replica: (await wireOf(client, kind)).replica }
  }
  replica.destroy()
  client.disconnect()
  return wires
}

/** Takes what a server sends to a replica, and forgets it. */
async function replicaOf(socket: string): Promise<Socket> {
  const replica = connect(socket)
  await once(replica, 'connect')
  replica.resume().write('PSYNC ? -1\r\n')
  return replica
}

async function wireOf(client: Redis, { policies, note }: WireKind): Promise<Wire> {
  const keys = keysOf(1000)
  // Of several policies none is called `default`, which a name leaves out.
  const named = policies.map(
    (policy, i) => [policies.length === 1 ? 'default' : `policy${i}`, policy] as const,
  )
  const limiter = limiterOver(client, Object.fromEntries(named))
  const options = note === undefined ? {} : { note }
  for (const key of keys.slice(0, 100)) await limiter.check(`warm-${key}`, options)
  const idle = await traffic(client)
  const before = await traffic(client)
  for (const key of keys) await limiter.check(key, options)
  const after = await traffic(client)
  const each = (of: (all: Traffic) => number) =>
    Math.round((of(after) - of(before) - (of(before) - of(idle))) / keys.length)
  await limiter.close()
  await client.flushall()
  return {
    question: each((all) => all.input),
    answer: each((all) => all.output),
    replica: each((all) => all.offset),
  }
}

interface Traffic {
  readonly input: number
  readonly output: number
  readonly offset: number
}

async function traffic(client: Redis): Promise<Traffic> {
  const text = await client.info()
  const number = (name: string) => Number(new RegExp(`${name}:(\\d+)`).exec(text)?.[1])
  return {
    input: number('total_net_input_bytes'),
    output: number('total_net_output_bytes'),
    offset: number('master_repl_offset'),
  }
}
