import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Inspection } from '@sluice/core'
import { isOwnOrigin, isRecord, spanWords } from '@sluice/core/internal'
import { answer, answerJson, answerProblem } from './answer.ts'
import { readKeyAction } from './body.ts'
import type { EventLog } from './event-log.ts'
import { type Known, type Limited, subjectOf } from './limited.ts'
import { keyText, visibleText } from './mask.ts'
import type { NearKey } from './near-key.ts'
import type { NearKeys } from './near-keys.ts'
import type { DashboardSettings } from './options.ts'
import { rowName, shownPolicy } from './row-info.ts'
import type { Inspected } from './wire.ts'

const names = ['inspect', 'block', 'unblock', 'reset'] as const
type Name = (typeof names)[number]

const done: Readonly<Record<Exclude<Name, 'inspect'>, string>> = {
  block: 'Key blocked',
  unblock: 'Key unblocked',
  reset: 'Key reset',
}
const maxBlockSeconds = 365 * 86_400
const maxEntries = 100

export function isKeyAction(name: string): name is Name {
  return names.some((each) => each === name)
}

export interface KeyActionDependencies {
  readonly options: DashboardSettings
  readonly known: Known
  readonly keys: NearKeys
  readonly log: EventLog
  monotonicMs(): number
}

/** An action by name. */
interface ActionRequest {
  readonly name: Name
  readonly near: NearKey
  readonly limiter: Limited
  readonly seconds: number
}

/** Inspects and changes keys: only keys that this server has shown, and only for permitted users. */
export class KeyActions {
  readonly #deps: KeyActionDependencies

  constructor(deps: KeyActionDependencies) {
    this.#deps = deps
  }

  async serve(name: Name, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isOwnOrigin(request)) return answerProblem(response, 403, 'The request came from another site.')
    if (!(await this.#deps.options.mayManage(request)))
      return answerProblem(response, 403, 'You are not permitted to do this.')
    const body = await readKeyAction(request)
    if ('status' in body) return answerProblem(response, body.status, body.detail, closing)
    const asked = this.#read(name, body.value)
    if ('status' in asked) return answerProblem(response, asked.status, asked.detail)
    try {
      const inspected = await this.#do(asked)
      if (name === 'inspect') answerJson(response, inspected)
      else answer(response, 204, {})
    } catch (error) {
      this.#answerFailure(response, error)
    }
  }

  #read(name: Name, value: unknown): ActionRequest | { readonly status: 400 | 404; readonly detail: string } {
    if (!isRecord(value) || typeof value.id !== 'string')
      return { status: 400, detail: 'The id of a key is missing.' }
    const { seconds = 0 } = value
    if (name === 'block' && !isBlockTime(seconds)) {
      return { status: 400, detail: `A block takes 1 to ${maxBlockSeconds} whole seconds.` }
    }
    const near = this.#deps.keys.find(value.id)
    if (near === undefined) return { status: 404, detail: 'This key is no longer shown.' }
    const limiter = this.#deps.known.find(near.row.limiter)
    if (limiter === undefined) return { status: 404, detail: 'This limiter was not given to the dashboard.' }
    return { name, near, limiter, seconds: Number(seconds) }
  }

  /** Afterwards the key is inspected, so that all pages show its new state. */
  async #do({ name, near, limiter, seconds }: ActionRequest): Promise<Inspected | undefined> {
    const subject = subjectOf(limiter, near.policy, near.key) as never // the key comes from this limiter's decisions
    if (name === 'block') await limiter.block(subject, `${seconds}s`)
    else if (name !== 'inspect') await limiter[name](subject)
    if (name !== 'inspect') this.#report(name, near, seconds)
    const seen = (await limiter.inspect(subject))[near.policy]
    if (seen === undefined) return undefined
    near.inspected(seen, this.#deps.monotonicMs())
    return this.#inspectedOf(near, seen)
  }

  #report(name: Exclude<Name, 'inspect'>, near: NearKey, seconds: number): void {
    const whose = `${rowName(near.row.limiter, near.policy)}, ${this.#keyText(near)}`
    const words = name === 'block' ? `${whose}, for ${spanWords(seconds * 1e6)}.` : `${whose}.`
    this.#deps.log.add(done[name], words)
  }

  #keyText({ key }: NearKey): string {
    return keyText(key, this.#deps.options.maskKeys)
  }

  #inspectedOf(near: NearKey, seen: Inspection): Inspected {
    return {
      key: this.#keyText(near),
      limiter: near.row.limiter,
      policy: shownPolicy(near.policy),
      strategy: near.row.info.strategy,
      used: Math.max(0, seen.limit - seen.remaining),
      limit: seen.limit,
      nextInMs: seen.allowed ? 0 : seen.retryAfterMs,
      fullInMs: Math.max(seen.resetAfterMs, seen.blockedMs ?? 0),
      blockedMs: seen.blockedMs,
      banned: seen.banned,
      entries: this.#entriesOf(seen),
    }
  }

  #entriesOf({ entries }: Inspection): Inspected['entries'] {
    const units = new Map<string, number>()
    for (const { note } of entries) units.set(note, (units.get(note) ?? 0) + 1)
    const all = [...units].map(([note, each]) => ({
      note: visibleText(note, this.#deps.options.maskKeys),
      units: each,
    }))
    return all.sort((a, b) => b.units - a.units).slice(0, maxEntries)
  }

  #answerFailure(response: ServerResponse, error: unknown): void {
    if (error instanceof Error && 'code' in error && error.code === 'SLUICE_STORE') {
      answerProblem(response, 503, 'The store does not answer.', { 'Retry-After': '1' })
    } else {
      answerProblem(response, 409, 'This limiter cannot do that for this key.')
    }
  }
}

/** Does not wait for the rest of a body. */
const closing = { Connection: 'close' }

function isBlockTime(seconds: unknown): boolean {
  return (
    typeof seconds === 'number' && Number.isInteger(seconds) && seconds >= 1 && seconds <= maxBlockSeconds
  )
}
