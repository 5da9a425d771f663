import { isRecord } from '@sluice/core/internal'
import { aboutOf, readText } from '../stored-hash.ts'

/** The change of a running limit, as it stands in Redis. */
export interface ChangedLimit {
  readonly name: string
  /** Replace the limit's own options of these names. */
  readonly options: { readonly [option: string]: unknown }
  /** null: until somebody restores it. */
  readonly endsInMs: number | null
  /** Milliseconds since 1970. */
  readonly atMs: number | undefined
  readonly why: string | undefined
  readonly by: string | undefined
}

/** Stands for no end, a hundred years from now: an entry in Redis always has an end. */
export const endlessMs: number = 100 * 365 * 86_400_000

/** The changes in a hash, without entries that are malformed or have ended. */
export function readChanges(fields: readonly unknown[], nowMs: number): readonly ChangedLimit[] {
  const changes: ChangedLimit[] = []
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const name = String(fields[i])
    const text = name === '' ? undefined : readText(fields[i + 1], nowMs)
    if (text === undefined || text.endsInMs <= 0 || !isRecord(text.data)) continue
    const { options } = text.data
    if (!isRecord(options)) continue
    const endsInMs = text.endsInMs > endlessMs / 2 ? null : text.endsInMs
    changes.push({ name, options, endsInMs, ...aboutOf(text.data) })
  }
  return changes
}

/** `count=50 period=1m` */
export function optionWords(options: { readonly [option: string]: unknown }): string {
  return Object.entries(options)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ')
}
