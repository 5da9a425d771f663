import { isRecord } from '@sluice/core/internal'
import type { AskedPath } from '@sluice/limits'
import { InvalidRequest } from '../descriptors.ts'

const mostChecks = 100
const longestPath = 120
/** `X-Limit-User: alex` asks about the path user/alex. */
const prefix = 'x-limit-'

/** `{ path, cost, note, since }`, or several of them as `{ checks }`. Throws an InvalidRequest. */
export function pathsOfBody(body: unknown): readonly AskedPath[] {
  if (!isRecord(body)) throw new InvalidRequest('expected an object such as {"path":["user","alex"]}')
  const { checks, ...one } = body
  if (checks === undefined) return [readCheck(one, '')]
  const unknown = Object.keys(one)[0]
  if (unknown !== undefined) throw new InvalidRequest(`${unknown}: expected nothing beside checks`)
  if (!Array.isArray(checks) || checks.length === 0 || checks.length > mostChecks)
    throw new InvalidRequest(`checks: expected a list of 1 to ${mostChecks}`)
  return checks.map((each, i) => readCheck(each, `checks[${i}].`))
}

function readCheck(value: unknown, at: string): AskedPath {
  if (!isRecord(value)) throw new InvalidRequest(`${at.slice(0, -1)}: expected an object with a path`)
  const { path, cost = 1, note, since, ...others } = value
  const unknown = Object.keys(others)[0]
  if (unknown !== undefined)
    throw new InvalidRequest(`${at}${unknown}: expected path, cost, note and since only`)
  if (!isPath(path))
    throw new InvalidRequest(
      `${at}path: expected a list of 1 to ${longestPath} names such as ["user","alex"]`,
    )
  // Whether the limits on this path count fractions is known only when they are asked.
  if (typeof cost !== 'number' || !(cost >= 0 && cost <= Number.MAX_SAFE_INTEGER))
    throw new InvalidRequest(
      `${at}cost: expected a whole number of at least 0, or a fraction where the limit has a unit`,
    )
  if (note !== undefined && typeof note !== 'string') throw new InvalidRequest(`${at}note: expected a string`)
  if (since !== undefined && typeof since !== 'string' && typeof since !== 'number')
    throw new InvalidRequest(`${at}since: expected an instant such as "2024-01-31T09:00:00Z"`)
  return { path, cost, note, since }
}

function isPath(value: unknown): value is readonly string[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= longestPath &&
    value.every((name) => typeof name === 'string' && name !== '')
  )
}

/** One path for each field that begins with `X-Limit-`. `fields` are as Node lists them: name, value, name, value. */
export function pathsOfHeaders(fields: readonly string[]): readonly AskedPath[] {
  const asked: AskedPath[] = []
  for (let i = 0; i < fields.length; i += 2) {
    const [name = '', value = ''] = [fields[i]?.toLowerCase(), fields[i + 1]]
    if (!name.startsWith(prefix) || name === prefix) continue
    // An empty value is a value: otherwise a client could leave a limit out.
    asked.push({ path: [name.slice(prefix.length), value] })
    if (asked.length > mostChecks)
      throw new InvalidRequest(`expected at most ${mostChecks} fields that begin with X-Limit-`)
  }
  if (asked.length === 0)
    throw new InvalidRequest('expected a field such as "X-Limit-User: alex", which asks about user/alex')
  return asked
}
