import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Inspection, Key } from '@sluice/core'
import { isRecord } from '@sluice/core/internal'
import { isClientNetwork, isOwnOrigin, networkBitsOf } from '@sluice/http/internal'
import { answer, answerJson, answerProblem } from './answer.ts'
import { readKeyAction } from './body.ts'
import { type KeyTarget, type TargetFault, targetOf } from './key-target.ts'
import { subjectOf } from './limited.ts'
import type { DashboardModel } from './model.ts'
import type { DashboardSettings } from './options.ts'
import { rowId, shownPolicy } from './row-info.ts'
import type { Found, Inspected } from './wire.ts'

const names = ['inspect', 'block', 'unblock', 'reset', 'find'] as const
type Name = Exclude<(typeof names)[number], 'find'>

const maxBlockSeconds = 365 * 86_400
const maxEntries = 100
const defaultSpanSeconds = 300

export function isKeyAction(name: string): name is (typeof names)[number] {
  return names.some((each) => each === name)
}

export interface KeyActionDependencies
  extends Pick<DashboardModel, 'known' | 'keys' | 'words' | 'watcher' | 'sources'> {
  readonly options: DashboardSettings
}

/** A key as one policy sees it. */
interface Met {
  readonly policy: string
  readonly seen: Inspection
}

/** An action that a viewer may take. */
interface ActionRequest {
  readonly name: Name
  readonly target: KeyTarget
  readonly seconds: number
  readonly masked: boolean
}

/** Finds, inspects and changes keys, only for permitted users. */
export class KeyActions {
  readonly #deps: KeyActionDependencies

  constructor(deps: KeyActionDependencies) {
    this.#deps = deps
  }

  async serve(name: Name | 'find', request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { options } = this.#deps
    if (!isOwnOrigin(request)) return answerProblem(response, 403, 'The request came from another site.')
    if (!(await options.mayManage(request)))
      return answerProblem(response, 403, 'You are not permitted to do this.')
    const masked = await options.masksFor(request, true)
    const body = await readKeyAction(request)
    if ('status' in body) return answerProblem(response, body.status, body.detail, closing)
    if (!isRecord(body.value)) return answerProblem(response, 400, 'The body is not a JSON object.')
    // While no page is open, nothing else asks which limiters there are now.
    this.#deps.known.refresh()
    if (name === 'find') return this.#find(body.value, { response, masked })
    const asked = this.#read(name, body.value)
    if ('status' in asked) return answerProblem(response, asked.status, asked.detail)
    try {
      const inspected = await this.#do({ ...asked, masked })
      if (inspected === undefined) answerProblem(response, 404, 'No policy matches this key.')
      else if ('status' in inspected) answerProblem(response, inspected.status, inspected.detail)
      else if (name === 'inspect') answerJson(response, inspected)
      else answer(response, 204, {})
    } catch (error) {
      this.#answerFailure(response, error)
    }
  }

  #find(
    { text = '', span = defaultSpanSeconds }: Readonly<Record<string, unknown>>,
    { response, masked }: { readonly response: ServerResponse; readonly masked: boolean },
  ): void {
    if (typeof text !== 'string' || typeof span !== 'number') {
      answerProblem(response, 400, 'Send the text to look for, and the span in seconds.')
      return
    }
    const { keys, known, sources } = this.#deps
    const found: Found = {
      keys: keys.shown({ lastSecond: sources.board.lastSecond, seconds: span, masked, text }).keys,
      limiters: known.all.map(({ name, policies }) => ({
        name,
        policies: policies === undefined ? null : Object.keys(policies).map(shownPolicy),
      })),
    }
    answerJson(response, found)
  }

  #read(name: Name, body: Readonly<Record<string, unknown>>): Omit<ActionRequest, 'masked'> | TargetFault {
    const { seconds = 0 } = body
    if (name === 'block' && !isBlockTime(seconds)) {
      return { status: 400, detail: `A block takes 1 to ${maxBlockSeconds} whole seconds.` }
    }
    const target = targetOf(body, this.#deps)
    return 'status' in target ? target : { name, target, seconds: Number(seconds) }
  }

  /** Afterwards the key is inspected, so that all pages show its new state. */
  async #do(asked: ActionRequest): Promise<Inspected | TargetFault | undefined> {
    const { name, target, seconds } = asked
    const { limiter } = target
    const met = await this.#look(target)
    if (met === undefined || name === 'inspect') return met && this.#inspectedOf(asked, met)
    if (name === 'block' && isForeign(target, met.seen)) return foreign
    const subject = subjectOf(limiter, met.policy, target.key) as never // the policy is one of this limiter's
    if (name === 'block') await limiter.block(subject, `${seconds}s`)
    else await limiter[name](subject)
    const after = await this.#look(target)
    return after && this.#inspectedOf(asked, after)
  }

  async #look({ limiter, policy, key }: KeyTarget): Promise<Met | undefined> {
    const subject = subjectOf(limiter, policy ?? '', key) as never // for one of this limiter's policies, or a path for a tree
    const all = await limiter.inspect(subject)
    const name = policy ?? Object.keys(all).at(-1) ?? ''
    const seen = Object.hasOwn(all, name) ? all[name] : undefined
    if (seen === undefined) return undefined
    this.#deps.watcher.inspected({ limiter: limiter.name, policy: name }, seen)
    return { policy: name, seen }
  }

  #inspectedOf({ target, masked }: ActionRequest, { policy, seen }: Met): Inspected {
    const { words, sources } = this.#deps
    const limiter = target.limiter.name
    const open = target.typed || !masked
    return {
      key: words.key(target.key, !open),
      whole: open ? wholeKey(target.key) : null,
      limiter,
      policy: shownPolicy(policy),
      strategy: sources.board.find(rowId(limiter, policy))?.info.strategy ?? '',
      used: Math.max(0, seen.limit - seen.remaining),
      limit: seen.limit,
      nextInMs: seen.allowed ? 0 : seen.retryAfterMs,
      fullInMs: Math.max(seen.resetAfterMs, seen.blockedMs ?? 0),
      blockedMs: seen.blockedMs,
      banned: seen.banned,
      listed: seen.listed?.list ?? null,
      entries: this.#entriesOf(seen, masked),
    }
  }

  #entriesOf({ entries }: Inspection, masked: boolean): Inspected['entries'] {
    const units = new Map<string, number>()
    for (const { note } of entries) units.set(note, (units.get(note) ?? 0) + 1)
    const most = [...units].sort(([, a], [, b]) => b - a).slice(0, maxEntries)
    return most.map(([note, each]) => ({ note: this.#deps.words.note(note, masked), units: each }))
  }

  #answerFailure(response: ServerResponse, error: unknown): void {
    if (error instanceof Error && 'code' in error && error.code === 'SLUICE_STORE') {
      answerProblem(response, 503, 'The store does not answer.', { 'Retry-After': '1' })
    } else {
      answerProblem(response, 409, 'This limiter cannot do that for this key.')
    }
  }
}

const foreign = {
  status: 409,
  detail: 'No request has this key: keys here are addresses of clients. A list refuses a network.',
} as const

/** Whether no request has this key: middlewares ask for networks of clients, it is none of these, and nothing is counted of it. */
function isForeign({ limiter, key }: KeyTarget, { limit, remaining, blockedMs }: Inspection): boolean {
  const bits = networkBitsOf(limiter)
  return bits !== undefined && remaining >= limit && blockedMs === null && !isClientNetwork(key, bits)
}

const wholeKey = (key: Key): Inspected['whole'] => (Array.isArray(key) ? key.map(String) : String(key))

/** Ends the connection, so that the rest of the body need not be awaited. */
const closing = { Connection: 'close' }

function isBlockTime(seconds: unknown): boolean {
  return (
    typeof seconds === 'number' && Number.isInteger(seconds) && seconds >= 1 && seconds <= maxBlockSeconds
  )
}
