import type { inRedis } from '@sluice/core/internal'
import type { Code } from '../inside/load.ts'
import type { Random } from '../random.ts'
import type { Words } from '../server/calls.ts'
import type { Command, RunningServer } from '../server/running.ts'
import { type KnownScript, listRead, queueRead, type ScriptReader } from '../server/scripts.ts'
import type { Machine } from '../world/machine.ts'
import { Asked } from './asked.ts'
import { Stream, type Watch, type Way } from './stream.ts'
import type { Troubles } from './troubles.ts'

const connectTimeoutUs = 2_000_000
const silenceUs = 2_000_000

function retryUs(attempt: number): number {
  return Math.min(50_000 * 2 ** Math.min(attempt, 6), 2_000_000)
}

/**
 * Reads a blocking read of a queue. XREADGROUP: GROUP, its name, the consumer, COUNT, how many, BLOCK, how long, STREAMS, a key, and where
 * from. BRPOP: a key, and how long.
 */
function readOf(command: string, args: readonly string[]): Command | undefined {
  if (command === 'BRPOP') {
    const [key = '', seconds] = args
    const words = { keys: [key], args: [String(Number(seconds) * 1000)] }
    return { name: 'script', script: listRead, words, text: true }
  }
  if (command !== 'XREADGROUP') return undefined
  const [, , me = '', , count = '', , blockMs = '', , key = ''] = args
  return { name: 'script', script: queueRead, words: { keys: [key], args: [me, count, blockMs] }, text: true }
}

export interface ClientParts {
  readonly code: Code
  readonly machine: Machine
  readonly server: RunningServer
  readonly scripts: ScriptReader
  readonly troubles: Troubles
  readonly way: Way
  readonly random: Random
  /** Called with each script call, before it is known whether it can be sent. */
  readonly tried: (script: KnownScript, words: Words) => void
  readonly ran: Watch
}

/**
 * A client of a simulated process, at core's own seam: it connects, notices the end of a connection as far as one can, and connects
 * again, as the client does that core makes for a URL.
 */
export class Client implements inRedis.Connection {
  readonly #parts: ClientParts
  readonly #known: InstanceType<Code['inRedis']['KnownScripts']>
  #stream: Stream | undefined
  #state: 'connecting' | 'ready' | 'away' | 'ended' = 'away'
  #attempts = 0
  #attempt: Promise<void> = Promise.resolve()
  #attempted = () => {}
  #lost = () => {}
  #heardUs = 0
  #watching = false

  constructor(parts: ClientParts) {
    this.#parts = parts
    this.#known = new parts.code.inRedis.KnownScripts()
    this.#connect()
  }

  get stream(): Stream | undefined {
    return this.#stream
  }

  async run(
    script: inRedis.Script,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown> {
    const read = this.#parts.scripts.read(script.text)
    const words = { keys, args: [...args.map(String), ...read.constants] }
    this.#parts.tried(read, words)
    if (this.#state !== 'ready') await this.#connected()
    return this.#known.run(this, script, words)
  }

  sendScript(script: inRedis.Script, words: Words, form: 'text' | 'digest'): Promise<unknown> {
    const read = this.#parts.scripts.read(script.text)
    return this.#ask({ name: 'script', script: read, words, text: form === 'text' })
  }

  /** `node`: the server of a cluster that is asked. */
  async time(node?: string): Promise<unknown> {
    if (this.#state !== 'ready') await this.#connected()
    return this.#ask({ name: 'time', node })
  }

  async send(command: string, args: readonly (string | number)[]): Promise<unknown> {
    if (command === 'TIME') return this.time()
    if (this.#state !== 'ready') await this.#connected()
    const [...all] = args.map(String)
    const read = readOf(command, all)
    if (read !== undefined) return this.#ask(read)
    const [text, count, ...rest] = all
    if (command !== 'EVAL' || text === undefined || count !== '0')
      throw new Error(`no such command: ${command}`)
    const script = this.#parts.scripts.read(text)
    return this.#ask({ name: 'script', script, words: { keys: [], args: rest }, text: true })
  }

  whenLost(lost: () => void): void {
    this.#lost = lost
  }

  async close(): Promise<void> {
    this.#state = 'ended'
    this.#attempted()
    this.#stream?.close()
  }

  async #connected(): Promise<void> {
    if (this.#state === 'connecting') await this.#attempt
    if (this.#state !== 'ready') throw new Error('not connected')
  }

  #ask(command: Command): Promise<unknown> {
    const stream = this.#stream
    const { machine } = this.#parts
    if (stream === undefined || this.#state !== 'ready') return Promise.reject(new Error('not connected'))
    return new Promise((resolve, reject) => {
      const sent = new Asked(this, { command, sentUs: machine.time.nowUs, resolve, reject })
      if (stream.sent.size === 0) this.#heardUs = machine.time.nowUs
      stream.send(sent)
      this.#watch()
    })
  }

  heard(): void {
    this.#heardUs = this.#parts.machine.time.nowUs
  }

  /** Gives a connection up that was asked something and has said nothing for too long. */
  #watch(): void {
    if (this.#watching) return
    this.#watching = true
    const { machine } = this.#parts
    machine.arrives(this.#heardUs + silenceUs - machine.time.nowUs, () => {
      this.#watching = false
      const stream = this.#stream
      if (stream === undefined || stream.sent.size === 0) return
      if (machine.time.nowUs - this.#heardUs >= silenceUs) this.drop()
      else this.#watch()
    })
  }

  /** Called when the connection has ended and this process notices it. */
  drop(): void {
    const stream = this.#stream
    if (stream === undefined) return
    this.#stream = undefined
    stream.close()
    this.#ended()
  }

  #ended(): void {
    if (this.#state === 'ended') return
    this.#state = 'away'
    this.#attempted()
    this.#lost()
    this.#parts.machine.arrives(retryUs(this.#attempts++), () => this.#connect())
  }

  #connect(): void {
    if (this.#state === 'ended') return
    const { machine, server, troubles } = this.#parts
    this.#state = 'connecting'
    this.#attempt = new Promise((resolve) => {
      this.#attempted = resolve
    })
    const stream = new Stream(this.#parts)
    const isOver = () => this.#state !== 'connecting'
    if (troubles.isBlocked) machine.arrives(connectTimeoutUs, () => isOver() || this.#ended())
    else if (troubles.isRefused || server.isDown)
      machine.arrives(stream.wayUs() * 2, () => isOver() || this.#ended())
    else machine.arrives(stream.wayUs() * 2, () => isOver() || this.#begin(stream))
  }

  #begin(stream: Stream): void {
    const { server, troubles, machine } = this.#parts
    if (troubles.isBlocked) {
      machine.arrives(connectTimeoutUs, () => this.#state !== 'connecting' || this.#ended())
      return
    }
    if (troubles.isRefused || server.isDown) {
      this.#ended()
      return
    }
    this.#stream = stream
    this.#known.forget()
    this.#state = 'ready'
    this.#attempts = 0
    this.#attempted()
  }
}
