import { PolicyLimiter } from '../limiter/policy-limiter.ts'
import { settleWith } from '../limiter/settings.ts'
import { Gate } from './gate.ts'
import { type AnyOptions, fixedPolicies, readChoices, readRules } from './options.ts'

/** How a route's options stand to those of the gate that holds for all routes. */
export interface RouteAbout<Req extends object> {
  readonly parent: Gate<Req>
  readonly parentOptions: AnyOptions<Req>
  /** Names the route's own counts. */
  readonly name: string
  /** Decide the parent's policies and the route's in one question. */
  readonly inherit: boolean
  readonly extra: readonly string[]
}

/** A route's policies beside the parent's: a single one is called `route`, as the parent's single one is called `default`. */
function besideParent<Req>(
  choices: ReturnType<typeof readChoices<Req>>,
): ReturnType<typeof readChoices<Req>> {
  const names = Object.keys(choices)
  const [only] = Object.values(choices)
  return names.length === 1 && names[0] === 'default' && only !== undefined ? { route: only } : choices
}

/** A gate for one route: its own options over the parent's, its own policies in place of the parent's or beside them. */
export function createRouteGate<Req extends object>(
  options: AnyOptions<Req>,
  about: RouteAbout<Req>,
): Gate<Req> {
  const { parent, parentOptions, inherit, extra } = about
  const rules = readRules({ ...parentOptions, ...options }, extra)
  const merged = { ...parentOptions, ...options, limiter: undefined, policy: undefined }
  if (options.policy === undefined && options.policies === undefined) {
    const { policy, policies } = parentOptions
    return new Gate({ ...merged, policy, policies }, { limiter: parent.limiter, rules })
  }
  const inherited = inherit ? (parent.limiter.lanes ?? []) : []
  const own = inherited.length > 0 ? besideParent(readChoices(options)) : readChoices(options)
  const settings = {
    ...merged,
    name: options.name ?? about.name,
    store: parent.limiter.store,
    policies: undefined,
  }
  const limiter = new PolicyLimiter(settleWith(settings, fixedPolicies(own)), inherited)
  const policies = inherited.length > 0 ? { ...readChoices(parentOptions), ...own } : own
  return new Gate({ ...merged, policies }, { limiter, rules })
}
