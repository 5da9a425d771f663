import { didYouMean, optionError } from '@sluice/core/internal'
import type { Entry } from './log/entry.ts'
import type { FieldReader, RequestFields } from './request-reader.ts'
import { byField, byNetwork, byPath, everybody } from './request-reader.ts'

/** The field that policies count by, and the field of the clients whose refusals are reported. */
export interface Keys {
  readonly client: FieldReader
  readonly clientBy: string
  readonly key: FieldReader
  readonly keyedBy: string
}

/** The names of keys other than fields. */
const picks: Readonly<Record<string, FieldReader>> = {
  ip: byNetwork,
  user: byField('user'),
  path: byPath,
  everybody,
}
const ownField = 'field:'

/** Reads `ip`, `user`, `path`, `everybody` or `field:NAME`. Clients that share a count are still reported by address. */
export function keysOf(text: string): Keys {
  const key = pickOf(text, 'key')
  const shared = key === everybody || key === byPath
  return shared
    ? { client: byNetwork, clientBy: 'ip', key, keyedBy: text }
    : { client: key, clientBy: text, key, keyedBy: text }
}

/** Reads `field:NAME`, or one of the known names. */
export function pickOf(text: string, option: string): FieldReader {
  if (text.startsWith(ownField) && text.length > ownField.length) return byField(text.slice(ownField.length))
  const pick = Object.hasOwn(picks, text) ? picks[text] : undefined
  if (pick !== undefined) return pick
  const hint = didYouMean(text, Object.keys(picks))
  throw optionError(option, `ip, user, path, everybody or field:NAME${hint}`, text)
}

/**
 * Reads `user/{user}/{method}`: the path to check for each request. A name in braces is a field; `{path}` stands for all parts
 * of the request's own path.
 */
export function pathOf(template: string): NonNullable<RequestFields['path']> {
  const parts = template.split('/').map(templatePart)
  return (entry) => {
    const path: string[] = []
    for (const part of parts) {
      const names = part(entry)
      if (names === undefined) return undefined
      for (const name of names) path.push(name)
    }
    return path.length === 0 ? undefined : path
  }
}

type Part = (entry: Entry) => readonly string[] | undefined

function templatePart(text: string): Part {
  const [, field] = /^\{([^{}]+)\}$/.exec(text) ?? []
  if (field === 'path')
    return (entry) =>
      byPath(entry)
        ?.split('/')
        .filter((name) => name !== '')
  if (field !== undefined) {
    const pick = field === 'ip' ? byNetwork : byField(field)
    return (entry) => {
      const name = pick(entry)
      return name === undefined ? undefined : [name]
    }
  }
  if (text !== '' && !/[{}]/.test(text)) return () => [text]
  throw optionError('path', 'names and fields in braces such as user/{user}/{method}', text)
}
