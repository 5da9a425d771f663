import type { Act } from '@sluice/core'
import { isRecord, observing } from '@sluice/core/internal'
import { actOf, textOf } from './act-text.ts'
import { LimitsServer, type StoredLimits } from './limits/limits-server.ts'
import { ListsServer, type StoredLists } from './lists/lists-server.ts'
import { type OperationsOptions, readSettings } from './options.ts'
import { OperationsServer } from './server.ts'
import type { Description, SeenText } from './wire.ts'

/** A process that has written lately. */
export interface RunningProcess extends Description {
  readonly id: string
  /** null if it has written none yet. */
  readonly seen: SeenText | null
}

/** Reads what processes with `operations()` have written, for programs that look at them from outside. */
export interface OperationsReader {
  processes(): Promise<readonly RunningProcess[]>
  /** The latest acts, the newest first. */
  acts(count: number): Promise<readonly Act[]>
  /** Adds an act to the log; every process hears of it. */
  add(act: Act): Promise<void>
  /** The lists of all processes. */
  readonly lists: StoredLists
  /** The limits that are changed while they run. */
  readonly limits: StoredLimits
  close(): Promise<void>
}

class RedisReader implements OperationsReader {
  readonly lists: StoredLists
  readonly limits: StoredLimits
  readonly #server: OperationsServer

  constructor(options: OperationsOptions) {
    const settings = readSettings(options)
    const reports = new observing.Reports([], settings.logger)
    this.#server = new OperationsServer(settings)
    this.lists = new ListsServer(this.#server, (act) => this.add(act), reports)
    this.limits = new LimitsServer(this.#server, (act) => this.add(act), reports)
  }

  async processes(): Promise<readonly RunningProcess[]> {
    const ids = await this.#server.services()
    const [descriptions, seen] = await Promise.all([
      this.#server.texts(ids.map((id) => `service:${id}`)),
      this.#server.texts(ids.map((id) => `seen:${id}`)),
    ])
    return ids.flatMap((id, i) => {
      const description = parsed(descriptions[i])
      if (!isDescription(description)) return []
      const late = parsed(seen[i])
      return [{ ...description, id, seen: isSeen(late) ? late : null }]
    })
  }

  async acts(count: number): Promise<readonly Act[]> {
    const entries = await this.#server.acts(count)
    return entries.flatMap(({ text }) => actOf(text)?.act ?? [])
  }

  add(act: Act): Promise<void> {
    return this.#server.addAct(textOf(act, 'outside'))
  }

  close(): Promise<void> {
    return this.#server.close()
  }
}

function parsed(text: string | null | undefined): unknown {
  try {
    return text === null || text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether a value describes a process. One that another version or another program has written counts as no process. */
function isDescription(value: unknown): value is Description {
  if (!isRecord(value) || typeof value.service !== 'string') return false
  return Array.isArray(value.limiters) && value.limiters.every(isLimiter)
}

function isLimiter(value: unknown): boolean {
  if (!isRecord(value) || typeof value.name !== 'string') return false
  const { policies } = value
  return policies === null || (Array.isArray(policies) && policies.every(isRecord))
}

function isSeen(value: unknown): value is SeenText {
  if (!isRecord(value) || typeof value.overMs !== 'number') return false
  const { policies, away } = value
  if (!Array.isArray(away) || !away.every((name) => typeof name === 'string')) return false
  return Array.isArray(policies) && policies.every(isSeenPolicy)
}

function isSeenPolicy(value: unknown): boolean {
  if (!isRecord(value)) return false
  const { admitted, refused, top, near } = value
  const isCounted = typeof admitted === 'number' && typeof refused === 'number'
  return isCounted && Array.isArray(top) && top.every(isRecord) && Array.isArray(near) && near.every(isRecord)
}

/**
 * Reads what processes with `operations()` have written in Redis, as the command `sluice` does.
 *
 * @example
 * const reader = readOperations({ redis: 'redis://localhost:6379' })
 * for (const { service, limiters } of await reader.processes()) console.log(service, limiters)
 * await reader.close()
 */
export function readOperations(options: OperationsOptions): OperationsReader {
  return new RedisReader(options)
}
