import { isScalar, Scalar } from 'yaml'
import type { LimitsDocument, Part } from '../document.ts'

/** What envoyproxy/ratelimit takes for true and false, by YAML 1.1. */
const truths: ReadonlyMap<string, boolean> = new Map([
  ...['y', 'yes', 'on', 'true'].map((word) => [word, true] as const),
  ...['n', 'no', 'off', 'false'].map((word) => [word, false] as const),
])
const mostRequests = 2 ** 32 - 1

/** A scalar as it is written: a number is a text too. Empty if there is none. */
export function readText(document: LimitsDocument, part: Part | undefined): string {
  if (part === undefined || part.node === null) return ''
  if (!isScalar(part.node)) return document.note(part, 'a string') ?? ''
  const { value, source } = part.node
  return value === null ? '' : (source ?? String(value))
}

/** false if there is none. */
export function readSwitch(document: LimitsDocument, part: Part | undefined): boolean {
  const plain = plainOf(part)
  if (part === undefined || plain === '') return false
  return truths.get(plain?.toLowerCase() ?? '') ?? document.note(part, 'true or false') ?? false
}

/** 0 if there is none, as for envoyproxy/ratelimit. */
export function readRequests(document: LimitsDocument, part: Part | undefined): number {
  const plain = plainOf(part)
  if (part === undefined || plain === '') return 0
  const digits = /^(?:0|[1-9][\d_]*)$/.test(plain ?? '') ? plain?.replaceAll('_', '') : undefined
  const requests = Number(digits)
  if (requests <= mostRequests) return requests
  return document.note(part, `a whole number from 0 to ${mostRequests}`) ?? 0
}

/** The text of a scalar without quotes, empty for null; undefined for anything else. */
function plainOf(part: Part | undefined): string | undefined {
  const node = part?.node
  if (!isScalar(node)) return node === null ? '' : undefined
  if (node.value === null) return ''
  return node.type === Scalar.PLAIN ? (node.source ?? String(node.value)) : undefined
}
