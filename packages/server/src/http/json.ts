import { isRecord } from '@sluice/core/internal'
import { InvalidRequest } from '../descriptors.ts'
import {
  code,
  type DescriptorStatus,
  type RateLimitRequest,
  type RateLimitResponse,
} from '../grpc/messages.ts'

const mostUint32 = 2 ** 32 - 1
const codeNames: ReadonlyMap<number, string> = new Map([
  [code.ok, 'OK'],
  [code.overLimit, 'OVER_LIMIT'],
])
const unitNames = ['UNKNOWN', 'SECOND', 'MINUTE', 'HOUR', 'DAY', 'MONTH', 'YEAR', 'WEEK']

/** A RateLimitRequest, as protobuf writes it in JSON: names in camel case or as in the file, long numbers as texts. */
export function requestOfJson(value: unknown): RateLimitRequest {
  const { domain, descriptors, hitsAddend } = fieldsOf(value, '', ['domain', 'descriptors', 'hitsAddend'])
  return {
    domain: textOf(domain, 'domain'),
    descriptors: listOf(descriptors, 'descriptors').map((each, i) =>
      descriptorOf(each, `descriptors[${i}].`),
    ),
    hitsAddend: countOf(hitsAddend, 'hitsAddend', mostUint32) ?? 0,
  }
}

function descriptorOf(value: unknown, at: string): RateLimitRequest['descriptors'][number] {
  const { entries, limit, hitsAddend } = fieldsOf(value, at, ['entries', 'limit', 'hitsAddend'])
  const hits = countOf(hitsAddend, `${at}hitsAddend`, Number.MAX_SAFE_INTEGER)
  return {
    entries: listOf(entries, `${at}entries`).map((each, i) => entryOf(each, `${at}entries[${i}].`)),
    limit,
    hitsAddend: hits === undefined ? null : { value: hits },
  }
}

function entryOf(value: unknown, at: string): { readonly key: string; readonly value: string } {
  const { key, value: own } = fieldsOf(value, at, ['key', 'value'])
  return { key: textOf(key, `${at}key`), value: textOf(own, `${at}value`) }
}

/** The fields of an object. A field that is null counts as left out. */
function fieldsOf<const N extends string>(
  value: unknown,
  at: string,
  names: readonly N[],
): { readonly [name in N]?: unknown } {
  if (!isRecord(value))
    throw new InvalidRequest(`${at === '' ? 'the body' : at.slice(0, -1)}: expected an object`)
  const fields: { [name in N]?: unknown } = {}
  for (const [written, field] of Object.entries(value)) {
    const name = names.find((each) => each === written || snakeCase(each) === written)
    if (name === undefined) throw new InvalidRequest(`${at}${written}: expected ${names.join(', ')} only`)
    if (field !== null) fields[name] = field
  }
  return fields
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function textOf(value: unknown, at: string): string {
  if (value === undefined || typeof value === 'string') return value ?? ''
  throw new InvalidRequest(`${at}: expected a string`)
}

function listOf(value: unknown, at: string): readonly unknown[] {
  if (value === undefined || Array.isArray(value)) return value ?? []
  throw new InvalidRequest(`${at}: expected a list`)
}

function countOf(value: unknown, at: string, most: number): number | undefined {
  if (value === undefined) return undefined
  const count = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
  if (typeof count === 'number' && Number.isInteger(count) && count >= 0 && count <= most) return count
  throw new InvalidRequest(`${at}: expected a whole number from 0 to ${most}`)
}

/** The response as protobuf writes it in JSON: values that are 0 or empty are left out. */
export function jsonOfResponse({
  overallCode,
  statuses,
  responseHeadersToAdd,
  rawBody,
}: RateLimitResponse): object {
  return {
    overallCode: codeNames.get(overallCode),
    statuses: statuses.map(jsonOfStatus),
    ...(responseHeadersToAdd.length > 0 && { responseHeadersToAdd }),
    ...(rawBody !== undefined && { rawBody: Buffer.from(rawBody).toString('base64') }),
  }
}

function jsonOfStatus({
  code: own,
  currentLimit,
  limitRemaining,
  durationUntilReset,
}: DescriptorStatus): object {
  return {
    code: codeNames.get(own),
    ...(currentLimit !== undefined && { currentLimit: jsonOfLimit(currentLimit) }),
    ...(limitRemaining !== undefined && limitRemaining > 0 && { limitRemaining }),
    ...(durationUntilReset !== undefined && { durationUntilReset: jsonOfDuration(durationUntilReset) }),
  }
}

function jsonOfLimit({ name, requestsPerUnit, unit }: NonNullable<DescriptorStatus['currentLimit']>): object {
  return { requestsPerUnit, ...(unit > 0 && { unit: unitNames[unit] }), name }
}

/** Seconds with three digits behind the point, or with none. */
function jsonOfDuration({ seconds, nanos }: NonNullable<DescriptorStatus['durationUntilReset']>): string {
  return nanos === 0 ? `${seconds}s` : `${seconds}.${String(nanos / 1e6).padStart(3, '0')}s`
}
