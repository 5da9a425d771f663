import { isOptionError, type Policy } from '@sluice/core'
import { booleanOption, checkNames, isRecord, oneOf, optionError, wholeNumber } from '@sluice/core/internal'
import { policyFrom } from '@sluice/core/strategies'
import { Problem } from './answer.ts'
import type { CountedTogether } from './protocol.ts'

/** A valid RunOrder. */
export interface Order {
  readonly title: string
  readonly policies: { readonly [name: string]: Policy }
  readonly shadow: { readonly [name: string]: boolean }
  readonly keys: readonly (readonly [policy: string, key: CountedTogether])[]
  readonly seconds: number
  readonly visitMs: number
}

const maxTitleLength = 60
const maxPolicies = 4
const policyName = /^[a-z\d][\w .-]{0,39}$/i

/** Throws a Problem with the option's path. */
export function orderOf(body: { readonly [name: string]: unknown }): Order {
  return asProblem('', () => {
    checkNames(body, '', ['title', 'policies', 'seconds', 'visitMs'])
    const { title, policies, seconds = 60, visitMs = 0 } = body
    return {
      title: readTitle(title),
      ...readPolicies(policies),
      seconds: wholeNumber(seconds, 'seconds', 1, 600),
      visitMs: wholeNumber(visitMs, 'visitMs', 0, 10_000),
    }
  })
}

function readTitle(title: unknown): string {
  const text = typeof title === 'string' ? title.trim() : ''
  if (text !== '' && [...text].length <= maxTitleLength && !/\p{C}/u.test(text)) return text
  throw optionError('title', `a title of 1 to ${maxTitleLength} printable characters`, title)
}

function readPolicies(orders: unknown): Pick<Order, 'policies' | 'shadow' | 'keys'> {
  const entries = isRecord(orders) ? Object.entries(orders) : []
  if (entries.length === 0 || entries.length > maxPolicies)
    throw optionError('policies', `1 to ${maxPolicies} policies by name`, orders)
  const read = entries.map(([name, order]) => [name, readPolicy(name, order)] as const)
  return {
    policies: Object.fromEntries(read.map(([name, { policy }]) => [name, policy])),
    shadow: Object.fromEntries(read.map(([name, { shadow }]) => [name, shadow])),
    keys: read.map(([name, { key }]) => [name, key]),
  }
}

function readPolicy(name: string, order: unknown): { policy: Policy; shadow: boolean; key: CountedTogether } {
  const path = `policies.${name}`
  if (!policyName.test(name))
    throw optionError(
      'policies',
      'names of 1 to 40 letters, digits, spaces, dots, dashes and underscores',
      name,
    )
  if (!isRecord(order)) throw optionError(path, 'a policy such as { "strategy": "gcra", … }', order)
  const { shadow = false, key = 'everybody', strategy, ...options } = order
  return asProblem(`${path}.`, () => ({
    shadow: booleanOption(shadow, 'shadow'),
    key: oneOf(key, 'key', ['visitor', 'everybody']),
    policy: policyFrom({ strategy: strategy as string, ...options }), // policyFrom checks it
  }))
}

/** Turns an OptionError into a Problem, with the path from the body's root. */
function asProblem<T>(prefix: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!isOptionError(error)) throw error
    throw new Problem(400, `${prefix}${error.message}.`, { path: `${prefix}${error.path}` })
  }
}
