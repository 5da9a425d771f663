import type { Policy } from '../policy.ts'
import type { Check, Question } from '../store.ts'
import type { AnyStrategy } from '../strategies/definition.ts'
import { partsOf } from '../strategies/policy-parts.ts'
import { type Argument, LaterScript, type Script } from './connection.ts'
import { pushForm } from './decide-calls.ts'
import { luaTexts } from './lua.ts'
import { admitting } from './lua-admitting.generated.ts'
import {
  type Fragment,
  type Includes,
  joinConstant,
  joinConstantMany,
  joinScript,
  type MainScript,
  type Mark,
  type Numbered,
  reservingFragment,
} from './lua-text.ts'
import { readsStateOf } from './rows.ts'

/** The Lua of a strategy: those of Sluice are found by their names, others bring their own text. */
function fragmentOf({ name, code, redis }: AnyStrategy): Fragment {
  const fragment = { code, lua: redis?.lua || (luaTexts().strategies[name] ?? '') }
  return redis?.reservable === true ? reservingFragment(fragment) : fragment
}

/**
 * The scripts of a store, joined and hashed once: those for policies that block the keys they refuse are longer, and so are those for
 * questions that take a part of their cost.
 */
export class Scripts {
  readonly #plain: Joined
  readonly #blocking: Joined
  readonly #upTo: Joined

  constructor(main: MainScript, includes?: Includes) {
    this.#plain = new Joined(main, includes, [])
    this.#blocking = new Joined(main, includes, ['blocks'])
    this.#upTo = new Joined(main, includes, ['blocks', 'upto'])
  }

  /** The script for questions of which some take a part of their cost. */
  upTo(checks: readonly Pick<Check, 'policy'>[]): Script {
    return this.#upTo.for(checks)
  }

  for(checks: readonly Pick<Check, 'policy'>[]): Script {
    for (let i = 0; i < checks.length; i++) {
      const check = checks[i]
      if (check !== undefined && partsOf(check.policy).blocking !== undefined)
        return this.#blocking.for(checks)
    }
    return this.#plain.for(checks)
  }

  forPolicy(policy: Policy): Script {
    const { blocking, definition } = partsOf(policy)
    return (blocking === undefined ? this.#plain : this.#blocking).forStrategy(definition)
  }
}

/** One script for each strategy, and one for all strategies that are asked together with others. */
class Joined {
  readonly #main: MainScript
  readonly #includes: Includes | undefined
  readonly #marks: readonly Mark[]
  readonly #single = new Map<AnyStrategy, Script>()
  readonly #together = new Map<string, AnyStrategy>()
  #forTogether: Script | undefined

  constructor(main: MainScript, includes: Includes | undefined, marks: readonly Mark[]) {
    this.#main = main
    this.#includes = includes
    this.#marks = marks
  }

  for(checks: readonly Pick<Check, 'policy'>[]): Script {
    const [first] = checks
    if (first === undefined) throw new RangeError('a script is joined for at least one check')
    const { definition } = partsOf(first.policy)
    let mixed = false
    for (let i = 1; i < checks.length; i++) {
      const check = checks[i]
      if (check === undefined || partsOf(check.policy).definition === definition) continue
      mixed = true
      this.#add(partsOf(check.policy).definition)
    }
    if (!mixed) return this.forStrategy(definition)
    this.#add(definition)
    this.#forTogether ??= this.#join([...this.#together.values()])
    return this.#forTogether
  }

  forStrategy(definition: AnyStrategy): Script {
    const known = this.#single.get(definition)
    if (known !== undefined) return known
    const script = this.#join([definition])
    this.#single.set(definition, script)
    return script
  }

  #add(definition: AnyStrategy): void {
    if (this.#together.get(definition.code) === definition) return
    this.#together.set(definition.code, definition)
    this.#forTogether = undefined
  }

  #join(definitions: readonly AnyStrategy[]): Script {
    const join = () => joinScript(this.#main, definitions.map(fragmentOf), this.#includes, this.#marks)
    return new LaterScript(join, { bytes: this.#main === 'decide' })
  }
}

/** At most this many policies have scripts of their own, and as many sets of policies: a server keeps what it has loaded. */
const mostConstant = 64
/** A function of Lua has at most 200 variables, and admitMany.lua needs eight for each policy. */
const mostTogether = 16

/** A script for questions of all policies of a limiter. */
interface ManyScript {
  readonly policies: readonly Policy[]
  readonly script: Script
}

/** The scripts of policies whose numbers are part of the program. What most callers ask then needs no argument but an instant. */
export class ConstantScripts {
  readonly #includes: Includes | undefined
  readonly #scripts = new Map<Policy, Script>()
  /** Scripts for several questions, and for one of several policies, by the limiter's first policy. */
  readonly #many = new Map<Policy, ManyScript[]>()
  #sets = 0

  constructor(includes?: Includes) {
    this.#includes = includes
  }

  /** The policy's script, new or not; undefined where it has none. */
  add(policy: Policy): Script | undefined {
    const known = this.#scripts.get(policy)
    if (known !== undefined || this.#scripts.size >= mostConstant || !isPlain(policy)) return known
    const readsState = readsStateOf(partsOf(policy).definition.name)
    const script = new LaterScript(() => joinConstant(numbered(policy), this.#includes, readsState))
    this.#scripts.set(policy, script)
    return script
  }

  /** The script of a limiter's policies together, if it is a new one; undefined where they have none. */
  addMany(policies: readonly Policy[]): Script | undefined {
    const [first] = policies
    if (first === undefined || policies.length > mostTogether || this.#sets >= mostConstant) return undefined
    if (!policies.every(admitsPlainly)) return undefined
    const known = this.#many.get(first) ?? []
    if (known.some((many) => areSame(many.policies, policies))) return undefined
    const join = () => joinConstantMany(policies.map(numbered), plainForm(policies), this.#includes)
    const script = new LaterScript(join, { bytes: true })
    this.#many.set(first, [...known, { policies, script }])
    this.#sets++
    return script
  }

  for(question: Question, check: Check): Script | undefined {
    return asksPlainly(question) && isPlainCheck(check) ? this.#scripts.get(check.policy) : undefined
  }

  /** The script for all these questions; undefined where they are not of one limiter, or one of them asks for more. */
  forMany(batch: readonly { readonly question: Question }[]): Script | undefined {
    const first = batch[0]?.question
    const policy = first?.checks[0]?.policy
    const sets = policy && this.#many.get(policy)
    const many = first && sets?.find(({ policies }) => asksFor(first, policies))
    if (many === undefined) return undefined
    for (let i = 0; i < batch.length; i++) {
      const question = batch[i]?.question
      if (question === undefined || !asksPlainly(question) || !asksFor(question, many.policies))
        return undefined
    }
    return many.script
  }
}

function asksPlainly({ charge, maxWaitUs, take, others, upTo }: Question): boolean {
  const isWhole = others === undefined && upTo === undefined
  return take && charge === 'all-or-nothing' && maxWaitUs === 0 && isWhole
}

function isPlainCheck({ cost, shadow }: Check): boolean {
  return cost === 1 && !shadow
}

function areSame(some: readonly Policy[], others: readonly Policy[]): boolean {
  return some.length === others.length && some.every((policy, i) => policy === others[i])
}

function numbered(policy: Policy): Numbered {
  const { definition, args } = partsOf(policy)
  return { fragment: fragmentOf(definition), numbers: args }
}

/** Whether a question has a plain check for each of these policies, in their order. */
function asksFor({ checks }: Question, policies: readonly Policy[]): boolean {
  if (checks.length !== policies.length) return false
  for (let i = 0; i < checks.length; i++) {
    const check = checks[i]
    if (check === undefined || check.policy !== policies[i] || !isPlainCheck(check)) return false
  }
  return true
}

/** What plain questions for these policies have in common, as decide.lua reads it. */
function plainForm(policies: readonly Policy[]): readonly Argument[] {
  const args: Argument[] = []
  const plain = { id: '', key: '', cost: 1, shadow: false, note: undefined, onStoreFailure: 'local' } as const
  const checks = policies.map((policy) => ({ ...plain, policy }))
  const question: Question = { checks, charge: 'all-or-nothing', maxWaitUs: 0, take: true }
  pushForm(args, question, { prefix: '', nextCall: () => '', serverUs: () => 0 })
  return args
}

function admitsPlainly(policy: Policy): boolean {
  return isPlain(policy) && admitting.includes(partsOf(policy).definition.name)
}

/**
 * Whether the script needs nothing but the policy's numbers, and the strategy is one of ours, unchanged: only these call the place of
 * their first argument `at` everywhere.
 */
function isPlain(policy: Policy): boolean {
  const { definition, calendar, blocking, inFlight } = partsOf(policy)
  const { redis, wants } = definition
  const needsMore = wants !== undefined || calendar !== undefined || blocking !== undefined
  return redis?.lua === '' && redis.reservable !== true && !needsMore && !inFlight
}
