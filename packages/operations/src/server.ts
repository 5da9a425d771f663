import { inRedis } from '@sluice/core/internal'
import { actLua, publishLua } from './lua.generated.ts'
import type { OperationsSettings } from './options.ts'

const publishScript: inRedis.Script = inRedis.scriptOf(publishLua)
const actScript: inRedis.Script = inRedis.scriptOf(actLua)
/** A process that has written nothing for this time counts as gone. */
const lifeMs = 15_000
const mostActs = 1000
const actsLifeMs = 90 * 86_400_000
const actsAtOnce = 100

/** An entry of the log, as Redis has it. */
export interface Entry {
  readonly id: string
  readonly text: string
}

export interface Published {
  readonly missing: boolean
  readonly newest: string
  readonly acts: readonly Entry[]
}

/** The keys of operations, all in one slot, on a connection of their own. Every failure is a StoreError. */
export class OperationsServer {
  readonly #base: string
  readonly #connection: inRedis.BoundedConnection

  constructor({ redis, prefix, deadlineMs }: OperationsSettings) {
    this.#base = `${prefix}${inRedis.firstFormat}{ops}:`
    this.#connection = new inRedis.BoundedConnection(inRedis.readClient(redis).connectAgain(), deadlineMs)
  }

  key(name: string): string {
    return this.#base + name
  }

  send(command: string, name: string, args: readonly (string | number)[] = []): Promise<unknown> {
    const key = this.key(name)
    return this.#connection.send(command, [key, ...args], key)
  }

  /** Runs a script on keys of operations, given by their names. */
  run(
    script: inRedis.Script,
    names: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown> {
    const keys = names.map((name) => this.key(name))
    return this.#connection.run(script, keys, args)
  }

  async publish(id: string, about: { description: string; seen: string; after: string }): Promise<Published> {
    const keys = ['services', `service:${id}`, `seen:${id}`, 'acts'].map((name) => this.key(name))
    const { description, seen, after } = about
    const from = after === '' ? '' : `(${after}`
    const reply = inRedis.listOf(
      await this.#connection.run(publishScript, keys, [id, description, seen, lifeMs, from, actsAtOnce]),
    )
    return { missing: reply[0] === 1, newest: String(reply[1]), acts: entriesOf(reply[2]) }
  }

  async addAct(text: string): Promise<void> {
    await this.#connection.run(actScript, [this.key('acts')], [text, mostActs, actsLifeMs])
  }

  /** The latest entries of the log, the newest first. */
  async acts(count: number): Promise<readonly Entry[]> {
    return entriesOf(await this.send('XREVRANGE', 'acts', ['+', '-', 'COUNT', count]))
  }

  /** The ids of processes that have written lately. */
  async services(): Promise<readonly string[]> {
    const time = await this.#connection.send('TIME', [], this.key('services'))
    const latest = Math.floor(inRedis.timeOf(time) / 1000) - lifeMs
    return inRedis.listOf(await this.send('ZRANGE', 'services', [latest, '+inf', 'BYSCORE'])).map(String)
  }

  async texts(names: readonly string[]): Promise<readonly (string | null)[]> {
    if (names.length === 0) return []
    const keys = names.map((name) => this.key(name))
    const texts = inRedis.listOf(await this.#connection.send('MGET', keys, this.key('services')))
    return texts.map((text) => (typeof text === 'string' ? text : null))
  }

  close(): Promise<void> {
    return this.#connection.close()
  }
}

function entriesOf(reply: unknown): readonly Entry[] {
  return inRedis.listOf(reply).flatMap((entry) => {
    const [id, fields] = inRedis.listOf(entry)
    const all = inRedis.listOf(fields)
    const text = all[all.indexOf('act') + 1]
    return typeof text === 'string' ? [{ id: String(id), text }] : []
  })
}
