import { Redis } from 'ioredis6'
import { RedisProcess } from '../outage/redis-process.ts'
import { until } from '../outage/until.ts'
import { addSlots } from './add-slots.ts'

const slots = 16_384
const masters = 3

/** How soon other servers consider a server dead. While a cluster is formed, they also hear of each other this often. */
const nodeTimeoutMs = 1000
const neverMs = 600_000

const options = [
  ['--cluster-node-timeout', String(nodeTimeoutMs)],
  // The other slots stay available while one master is dead.
  ['--cluster-require-full-coverage', 'no'],
  ['--cluster-replica-validity-factor', '0'],
  ['--repl-diskless-sync-delay', '0'],
].flat()

/** One server of the cluster. */
export interface Member {
  readonly server: RedisProcess
  /** A client of this server only. */
  readonly client: Redis
  readonly id: string
}

/** How far a slot is moved: on its way, with some keys here and some there, or wholly. */
export type Move = 'opened' | 'done'

/** A real cluster of three masters with a replica each, on free ports of this machine. */
export class RedisCluster {
  #members: readonly Member[] = []
  readonly #newcomers: Member[] = []
  readonly #failsOver: boolean

  /**
   * `failsOver`: a master that is not heard of for a second is replaced, which may lose its last writes. Otherwise it keeps its
   * slots, as on a busy machine a server may be slow without being dead.
   */
  constructor({ failsOver = false }: { readonly failsOver?: boolean } = {}) {
    this.#failsOver = failsOver
  }

  /** Resolves when every server knows every other, and each replica has its master's data. */
  async start(): Promise<void> {
    this.#members = await Promise.all(Array.from({ length: 2 * masters }, startMember))
    await Promise.all(this.masters.map(({ client }, i) => giveSlots(client, i)))
    await this.#agreed()
    await Promise.all(this.replicas.map(({ client }, i) => client.cluster('REPLICATE', this.master(i).id)))
    await until(() => this.#inStep(), { what: 'the replicas of a cluster' })
    await this.#agreed()
    if (this.#failsOver) return
    for (const { client } of this.#members) await client.config('SET', 'cluster-node-timeout', neverMs)
  }

  /** Adds a master, which holds no slot. */
  async addMaster(): Promise<Member> {
    const newcomer = await startMember()
    this.#newcomers.push(newcomer)
    await this.#agreed()
    if (!this.#failsOver) await newcomer.client.config('SET', 'cluster-node-timeout', neverMs)
    return newcomer
  }

  get #all(): readonly Member[] {
    return [...this.#members, ...this.#newcomers]
  }

  /** The masters in the order of the start: a master that has been replaced keeps its place. */
  get masters(): readonly Member[] {
    return this.#members.slice(0, masters)
  }

  get replicas(): readonly Member[] {
    return this.#members.slice(masters)
  }

  /** The first slots are the first master's, and so on. */
  master(nth: number): Member {
    const member = this.#members[nth]
    if (member === undefined || nth >= masters) throw new Error(`there is no master ${nth}`)
    return member
  }

  /** The replica of a master. */
  replica(nth: number): Member {
    const member = this.#members[masters + nth]
    if (member === undefined) throw new Error(`there is no replica ${nth}`)
    return member
  }

  get addresses(): readonly { readonly host: string; readonly port: number }[] {
    return this.masters.map(({ server }) => ({ host: '127.0.0.1', port: server.port }))
  }

  /** The master that holds a slot, by its own word: what the others know of a slot that has just moved may be older. */
  async holder(slot: number): Promise<Member> {
    for (const member of this.#all.filter(({ client }) => client.status === 'ready')) {
      const ranges = await member.client.cluster('SLOTS')
      const range = ranges.find(([from, to]) => from <= slot && slot <= to)
      if (range?.[2]?.[2] === member.id) return member
    }
    throw new Error(`no master holds slot ${slot}`)
  }

  /** Moves a slot with all its keys, or opens it only: then keys that do not exist yet belong to the new holder already. */
  async moveSlot(slot: number, to: Member, move: Move = 'done'): Promise<void> {
    const from = await this.holder(slot)
    if (from === to) return
    await to.client.cluster('SETSLOT', slot, 'IMPORTING', from.id)
    await from.client.cluster('SETSLOT', slot, 'MIGRATING', to.id)
    if (move === 'done') await this.closeSlot(slot, from, to)
  }

  /** Moves the keys of an opened slot, and then the slot. */
  async closeSlot(slot: number, from: Member, to: Member): Promise<void> {
    for (;;) {
      const keys = await from.client.cluster('GETKEYSINSLOT', slot, 50)
      if (keys.length === 0) break
      // Keys that an earlier holder has sent before it died are there already.
      await from.client.migrate('127.0.0.1', to.server.port, '', 0, 5000, 'REPLACE', 'KEYS', ...keys)
    }
    const others = this.masters.filter(({ client }) => client.status === 'ready')
    for (const { client } of [to, from, ...others])
      await client.cluster('SETSLOT', slot, 'NODE', to.id).catch(unlessItFollows)
  }

  /** Resolves when this server, which was a replica, is a master. */
  async tookOver({ client }: Member): Promise<void> {
    await until(async () => (await client.role())[0] === 'master', {
      what: 'a replica that takes over',
    })
  }

  async end(): Promise<void> {
    await Promise.all(this.#all.map(({ server }) => server.end()))
    for (const { client } of this.#all) client.disconnect()
  }

  /** Each server meets those that it does not know: one that stood still for a second while it was met has been forgotten. */
  async #agreed(): Promise<void> {
    const agrees = async ({ client }: Member) => {
      const nodes = String(await client.cluster('NODES'))
      const known = new Set(nodes.split('\n').map((line) => line.slice(0, line.indexOf(' '))))
      const strangers = this.#all.filter(({ id }) => !known.has(id))
      for (const { server } of strangers) await client.cluster('MEET', '127.0.0.1', server.port)
      const info = await client.cluster('INFO')
      const isWhole =
        info.includes('cluster_state:ok') && info.includes(`cluster_slots_assigned:${slots}\r\n`)
      return strangers.length === 0 && isWhole
    }
    await until(async () => (await Promise.all(this.#all.map(agrees))).every(Boolean), {
      what: 'a cluster that agrees',
    })
  }

  async #inStep(): Promise<boolean> {
    const roles = await Promise.all(this.replicas.map(({ client }) => client.role()))
    return roles.every(([role, , , state]) => role === 'slave' && state === 'connected')
  }
}

async function startMember(): Promise<Member> {
  const server = await RedisProcess.prepareForCluster(options)
  await server.start()
  const client = new Redis(server.url, { disconnectTimeout: 100 })
  // The server is killed in some tests.
  client.on('error', () => {})
  return { server, client, id: await client.cluster('MYID') }
}

async function giveSlots(client: Redis, nth: number): Promise<void> {
  const from = Math.ceil((nth * slots) / masters)
  const to = Math.ceil(((nth + 1) * slots) / masters) - 1
  await client.cluster('SET-CONFIG-EPOCH', nth + 1)
  await addSlots(client, from, to)
}

/** A master whose last slot has gone may have heard of it from the new holder, whose replica it then is. */
function unlessItFollows(error: Error): void {
  if (!error.message.includes('SETSLOT only with masters')) throw error
}
