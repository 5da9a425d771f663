import type { Policy } from '@sluice/core'
import {
  booleanOption,
  checkNames,
  durationOrZeroUs,
  durationUs,
  isRecord,
  limiters,
  oneOf,
  optionalFunction,
  optionError,
  partsOf,
  wholeNumber,
} from '@sluice/core/internal'
import { readAddressList } from './cidr.ts'
import type { Draft } from './drafts.ts'
import type { AnyOptions, HeaderOptions, PolicyChoice } from './options.ts'
import type { FieldRules } from './request-state.ts'
import { readSlowDown, refusing, type SlowDownRule } from './slow-down.ts'

const httpNames = [
  'key',
  'cost',
  'note',
  'since',
  'skip',
  'allowList',
  'denyList',
  ...refusing,
  'slowDown',
  'ipv6Prefix',
] as const

/** What the gate keeps of its options: checked, with their defaults, as far as they do not change from request to request. */
export interface Rules extends FieldRules {
  readonly allowed: ((address: string) => boolean) | undefined
  readonly denied: ((address: string) => boolean) | undefined
  readonly refuseByError: boolean
  readonly ipv6Prefix: number
  /** Whether a place in flight becomes free with the end of its connection. */
  readonly releaseOnAbort: boolean
  /** A place in flight becomes free when its client has taken nothing for this long. */
  readonly sendTimeoutUs: number
  /** Longest that a request is held; 0: it is refused at once. */
  readonly maxWaitUs: number
  /** By how much requests are delayed, where none is refused. */
  readonly slowDown: SlowDownRule | undefined
  /** By how much, at most, a refused client is told a longer time than its wait; 0: by nothing. */
  readonly retryJitterMs: number
}

/** The names of a gate's options. */
export const gateNames: readonly string[] = ['limiter', ...limiters.limiterNames, ...httpNames]

/** Those settings of a limiter that a route may have; it counts on the store of all routes. */
export const routeSettings = ['name', 'charge', 'shadow', 'onStoreFailure'] as const

export const routeNames: readonly string[] = ['policy', 'policies', ...routeSettings, ...httpNames]

export function readRules<Req>(options: AnyOptions<Req>): Rules {
  for (const name of ['key', 'note', 'since', 'skip', 'settle', 'onRefused'] as const)
    optionalFunction(options[name], name)
  const { refuseBy = 'response', ipv6Prefix = 64, maxWait = 0, retryJitter = 0 } = options
  const { releaseOnAbort = false, sendTimeout = '30s' } = options
  return {
    allowed: readAddressList(options.allowList, 'allowList'),
    denied: readAddressList(options.denyList, 'denyList'),
    refuseByError: oneOf(refuseBy, 'refuseBy', ['response', 'error']) === 'error',
    ...readHeaders(options.headers),
    ipv6Prefix: wholeNumber(ipv6Prefix, 'ipv6Prefix', 1, 128),
    releaseOnAbort: booleanOption(releaseOnAbort, 'releaseOnAbort'),
    sendTimeoutUs: durationUs(sendTimeout, 'sendTimeout'),
    slowDown: readSlowDown(options),
    maxWaitUs: durationOrZeroUs(maxWait, 'maxWait'),
    retryJitterMs: durationOrZeroUs(retryJitter, 'retryJitter') / 1000,
  }
}

export function readHeaders(headers: unknown): FieldRules {
  if (headers === false) return { x: false, draft: false }
  if (headers === undefined) return { x: 'seconds', draft: false }
  checkNames(headers, 'headers', ['draft', 'x'])
  const { x = 'seconds', draft = false } = headers as HeaderOptions // an object of these names; values are checked here
  return {
    x: x === false ? false : oneOf(x, 'headers.x', ['seconds', 'epoch-seconds']),
    draft: readDraft(draft),
  }
}

const drafts = [false, 6, 7, 8] as const

function readDraft(draft: unknown): Draft | false {
  if (draft === true) return 8
  for (const each of drafts) if (draft === each) return each
  throw optionError('headers.draft', 'true, false, 6, 7 or 8', draft)
}

/** Policies by name; null for those that are chosen for each request. */
export type PoliciesByName = { readonly [name: string]: Policy | null }

/** What costs are read by. */
export interface CostAbout {
  /** undefined where a decider does not give them. */
  readonly policies: PoliciesByName | undefined
  readonly prices?: limiters.CommonSettings['prices']
}

/** Checks one cost, or one by policy, or a kind of request. */
export function checkCost(cost: unknown, path: string, { policies, prices }: CostAbout): void {
  if (cost === undefined || typeof cost === 'function') return
  if (typeof cost === 'string' && prices !== undefined) {
    limiters.costFor(cost, '', prices)
    return
  }
  // Read by the finest policy: a cost that its own policy does not count so finely throws when it is asked for.
  const all = Object.values(policies ?? {})
  const scale = Math.max(1, ...all.map((policy) => (policy === null ? 1 : partsOf(policy).scale)))
  if (!isRecord(cost)) {
    limiters.readAmount(cost, path, scale)
    return
  }
  const names = policies && Object.keys(policies)
  for (const [name, each] of Object.entries(cost)) {
    if (names?.includes(name) === false) throw limiters.unknownPolicy(path, name, names)
    if (each !== undefined) limiters.readAmount(each, `${path}.${name}`, scale)
  }
}

/** Policies as options give them: each a policy, or a function that chooses one. */
export function readChoices<Req>(options: AnyOptions<Req>): { readonly [name: string]: PolicyChoice<Req> } {
  return limiters.readPolicies(options, (choice, path) => {
    return chooses(choice) ? (choice as PolicyChoice<Req>) : limiters.readPolicy(choice, path) // called as documented
  })
}

/** Whether it is a function that chooses policies, and no strategy. */
function chooses(choice: unknown): boolean {
  return typeof choice === 'function' && !limiters.isMaker(choice)
}

/** The policies that are known beforehand. */
export function fixedPolicies<Req>(choices: { readonly [name: string]: PolicyChoice<Req> }): PoliciesByName {
  return Object.fromEntries(
    Object.entries(choices).map(([name, choice]) => [name, typeof choice === 'function' ? null : choice]),
  )
}

/** Throws an OptionError for settings that a ready-made limiter has already. Functions may choose in place of its policies. */
export function refuseSettings<Req>(
  options: AnyOptions<Req>,
  lanes: readonly limiters.Lane[] | undefined,
): void {
  const names = lanes?.map(({ name }) => name) ?? []
  const mayChoose = chooseFor(options, names)
  for (const name of limiters.limiterNames) {
    const isChoice = name === 'policy' || name === 'policies'
    if (options[name] === undefined || (isChoice && mayChoose)) continue
    const [first] = isChoice ? names : []
    const how = first === 'default' ? 'policy: (req) => …' : first && `policies: { ${first}: (req) => … }`
    throw optionError(
      name,
      `nothing here, as \`limiter\` brings its own${how ? `, or ${how}` : ''}`,
      options[name],
    )
  }
  if (typeof options.limiter?.check !== 'function') throw optionError('limiter', 'a limiter', options.limiter)
}

/** Whether only functions are given, each for a policy of one of these names. */
function chooseFor<Req>({ policy, policies }: AnyOptions<Req>, names: readonly string[]): boolean {
  if (policy !== undefined && policies !== undefined) return false
  const choices = policies ?? { default: policy }
  return (
    isRecord(choices) &&
    Object.entries(choices).every(([name, choice]) => names.includes(name) && chooses(choice))
  )
}
