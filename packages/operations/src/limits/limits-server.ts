import type { Act, ActReason, Duration } from '@sluice/core'
import {
  checkNames,
  codedError,
  durationUs,
  isRecord,
  limiters,
  msUp,
  observing,
  optionError,
} from '@sluice/core/internal'
import type { Tell } from '../lists/lists-server.ts'
import { type RunsScripts, StoredHash } from '../stored-hash.ts'
import { type ChangedLimit, endlessMs, optionWords, readChanges } from './change.ts'

const mostLimits = 1000

/** How long a limit is changed, why, and by whom. */
export interface ChangeAbout extends ActReason {
  /** At most 366 days. @default until it is restored */
  readonly for?: Duration | undefined
}

/** The limits that are changed while they run, as they stand in Redis. Calls that fail reject with a StoreError. */
export interface StoredLimits {
  /**
   * Puts these options in place of the limit's own, and of any earlier change, in every process that has a limit of that name. Only those
   * processes find out whether the options make a policy.
   *
   * @example await reader.limits.set('free', { count: 50 }, { for: '2h', why: 'incident 12', by: 'alice' })
   */
  set(name: string, options: { readonly [option: string]: unknown }, about?: ChangeAbout): Promise<void>
  /** Puts the limit's own options in force again. Resolves to false if it was not changed. */
  restore(name: string, about?: ActReason): Promise<boolean>
  changed(): Promise<readonly ChangedLimit[]>
}

/** The changes in Redis; `changes` is undefined if they are as before. */
interface LimitsSight {
  /** '' if no limit was ever changed. */
  readonly version: string
  readonly changes: readonly ChangedLimit[] | undefined
}

/** Keeps the changes in one hash, and adds each to the log. */
export class LimitsServer implements StoredLimits {
  readonly #hash: StoredHash
  readonly #tell: Tell
  readonly #reports: observing.Reports

  constructor(server: RunsScripts, tell: Tell, reports: observing.Reports) {
    this.#hash = new StoredHash(server, 'limits', mostLimits)
    this.#tell = tell
    this.#reports = reports
  }

  async read(known = ''): Promise<LimitsSight> {
    const { version, fields, nowMs } = await this.#hash.read(known)
    return { version, changes: fields && readChanges(fields, nowMs) }
  }

  async changed(): Promise<readonly ChangedLimit[]> {
    const { changes = [] } = await this.read()
    return changes
  }

  async set(
    name: string,
    options: { readonly [option: string]: unknown },
    about: ChangeAbout = {},
  ): Promise<void> {
    readName(name)
    const { forMs, ...reason } = readAbout(about)
    limiters.warnOfShortTimes(this.#reports, { 'for of limits.set': about.for })
    const text = JSON.stringify({ options, ...reason, atMs: Date.now() })
    if (text.length > 10_000) throw optionError('options', 'at most 10,000 characters as JSON', options)
    if (await this.#hash.put(name, text, forMs ?? endlessMs)) {
      const act = { act: 'change', to: optionWords(options), ...(forMs !== undefined && { forMs }) } as const
      return this.#tell(actOn(name, { ...act, ...reason }))
    }
    const message = `at most ${mostLimits} limits are changed at once: restore some`
    throw codedError(message, { code: 'SLUICE_LIMITS_FULL' })
  }

  async restore(name: string, about?: ActReason): Promise<boolean> {
    readName(name)
    const reason = observing.readReason(about)
    const removed = await this.#hash.remove(name)
    if (removed) await this.#tell(actOn(name, { act: 'restore', ...reason }))
    return removed
  }
}

function readName(name: unknown): void {
  if (typeof name !== 'string' || name === '' || name.length > 100)
    throw optionError('name', 'a name of 1 to 100 characters', name)
}

function readAbout(about: ChangeAbout): ActReason & { readonly forMs?: number } {
  if (!isRecord(about))
    throw optionError('about', 'an object such as { for: "2h", why: "incident 12" }', about)
  checkNames(about, 'about', ['for', 'why', 'by'])
  const { for: time, ...reason } = about
  if (time === undefined) return observing.readReason(reason)
  return { ...observing.readReason(reason), forMs: msUp(durationUs(time, 'about.for')) }
}

function actOn(name: string, about: ActReason & Pick<Act, 'act' | 'forMs' | 'to'>): Act {
  return { ...about, limiter: '', policies: [], key: name, atMs: Date.now() }
}
