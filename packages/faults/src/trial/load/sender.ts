import { Agent, type IncomingMessage, request } from 'node:http'
import { type Ask, type Exchange, nowMs } from '../exchange.ts'
import { type Framework, host } from '../settings.ts'
import { coreTimeOf } from './core-time.ts'
import { Lateness } from './lateness.ts'
import { type Machine, MachineWatch } from './machine.ts'
import { planned } from './plan.ts'

/** What a sender reports regularly. */
export interface Report {
  readonly exchanges: readonly Exchange[]
  /** What was measured of the machine since the sender has started. */
  readonly machine: Machine
}

/** A process that serves. */
export interface Target {
  readonly framework: Framework
  readonly server: number
  readonly port: number
  readonly pid: number
}

const tickMs = 2
const reportEveryMs = 100
/** The timeout of a request. */
const longestMs = 3000

/** Sends each target its planned requests at their planned times, independent of earlier results. */
export class Sender {
  readonly #targets: readonly Target[]
  readonly #report: (report: Report) => void
  readonly #agent = new Agent({ keepAlive: true })
  readonly #lateness = new Lateness()
  readonly #watch: MachineWatch
  #sending: NodeJS.Timeout | undefined
  #reporting: NodeJS.Timeout | undefined
  #done: Exchange[] = []
  #startedAtMs = 0
  #sent = 0
  #open = 0

  constructor(targets: readonly Target[], report: (report: Report) => void) {
    this.#targets = targets
    this.#report = report
    this.#watch = new MachineWatch(
      targets.map(({ pid }) => pid),
      this.#lateness,
    )
  }

  start(): void {
    this.#startedAtMs = nowMs()
    this.#sending = setInterval(() => this.#sendDue(), tickMs)
    this.#reporting = setInterval(() => this.#reportDone(), reportEveryMs)
  }

  /** Resolves when every request has been answered or has timed out, and has been reported. */
  async stop(): Promise<void> {
    clearInterval(this.#sending)
    while (this.#open > 0) await new Promise((resolve) => setTimeout(resolve, tickMs))
    clearInterval(this.#reporting)
    this.#reportDone()
    this.#agent.destroy()
    this.#lateness.stop()
  }

  #reportDone(): void {
    this.#watch.look()
    this.#report({ exchanges: this.#done, machine: this.#watch.seen })
    this.#done = []
  }

  #sendDue(): void {
    const passedMs = nowMs() - this.#startedAtMs
    for (;;) {
      const { dueMs } = planned(this.#sent, 0)
      if (dueMs > passedMs) return
      for (const target of this.#targets) {
        this.#send(target, planned(this.#sent, target.server).ask, this.#startedAtMs + dueMs)
      }
      this.#sent++
    }
  }

  #send({ framework, server, port, pid }: Target, ask: Ask, dueAtMs: number): void {
    this.#open++
    const sentAtMs = nowMs()
    const stalled = this.#stalledSince(pid)
    void answerTo(this.#agent, port, ask).then((answer) => {
      const answeredAtMs = nowMs()
      const times = { dueAtMs, sentAtMs, answeredAtMs, waitMs: answeredAtMs - sentAtMs, stalledMs: stalled() }
      this.#done.push({ ...ask, framework, server, ...times, ...answer })
      this.#open--
    })
  }

  #stalledSince(pid: number): () => number {
    const lateBeforeMs = this.#lateness.totalMs
    const withoutBeforeMs = coreTimeOf(pid).waitedMs
    return () =>
      Math.max(0, this.#lateness.totalMs - lateBeforeMs, coreTimeOf(pid).waitedMs - withoutBeforeMs)
  }
}

type Answer = Pick<Exchange, 'status' | 'text' | 'fields'>

function answerTo(agent: Agent, port: number, { key, rule }: Ask): Promise<Answer> {
  const headers = { 'X-Forwarded-For': key }
  const signal = AbortSignal.timeout(longestMs)
  return new Promise((resolve) => {
    const fail = ({ message }: Error) => resolve({ status: 0, text: message, fields: {} })
    request({ agent, host, port, path: `/${rule}`, headers, signal })
      .on('error', fail)
      .on('response', (response) => read(response).then(resolve, fail))
      .end()
  })
}

async function read(response: IncomingMessage): Promise<Answer> {
  let text = ''
  response.setEncoding('utf8')
  for await (const chunk of response) text += chunk
  const fields: { [name: string]: string } = {}
  for (const [name, value] of Object.entries(response.headers)) {
    if (/^(x-ratelimit|retry-after)/.test(name)) fields[name] = String(value)
  }
  return { status: response.statusCode ?? 0, text, fields }
}
