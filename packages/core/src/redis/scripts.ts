import type { Policy } from '../policy.ts'
import type { Check, Question } from '../store.ts'
import { type AnyStrategy, partsOf } from '../strategies/definition.ts'
import {
  type Fragment,
  type Includes,
  joinConstant,
  joinConstantMany,
  joinScript,
  type MainScript,
} from './join.ts'
import { strategies } from './lua.generated.ts'
import { type Argument, type Script, scriptOf } from './script.ts'
import { pushForm } from './wire.ts'

function fragmentOfPolicy(policy: Policy): Fragment {
  return fragmentOf(partsOf(policy).definition)
}

/** Sluice's own strategies are here by their names, and others bring their own text. */
function fragmentOf({ name, code, redis }: AnyStrategy): Fragment {
  return { code, lua: redis?.lua || (strategies[name] ?? '') }
}

/** The scripts of a store, joined and hashed once: those for policies that block the keys they refuse are longer. */
export class Scripts {
  readonly #plain: Joined
  readonly #blocking: Joined

  constructor(main: MainScript, includes?: Includes) {
    this.#plain = new Joined(main, includes, false)
    this.#blocking = new Joined(main, includes, true)
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

/** So many policies of a process have scripts of their own, as a server keeps what it has loaded. */
const mostConstant = 64

/** A script for questions of all policies of a limiter. */
interface ManyScript {
  readonly policies: readonly Policy[]
  readonly script: Script
}

/** The scripts of policies whose numbers are part of the program: what most callers ask of them has no argument but an instant. */
export class ConstantScripts {
  readonly #includes: Includes | undefined
  readonly #scripts = new Map<Policy, Script>()
  /** By a limiter's first policy: for several questions, and for one of several policies. */
  readonly #many = new Map<Policy, ManyScript>()

  constructor(includes?: Includes) {
    this.#includes = includes
  }

  /** The policy's script, new or not; undefined where it has none. */
  add(policy: Policy): Script | undefined {
    const known = this.#scripts.get(policy)
    if (known !== undefined || this.#scripts.size >= mostConstant || !isPlain(policy)) return known
    const script = scriptOf(joinConstant(fragmentOfPolicy(policy), partsOf(policy).args, this.#includes))
    this.#scripts.set(policy, script)
    return script
  }

  /** The script of a limiter's policies together; undefined where they have none. */
  addMany(policies: readonly Policy[]): Script | undefined {
    const [first] = policies
    if (first === undefined || this.#many.has(first) || this.#many.size >= mostConstant) return undefined
    if (!policies.every(isPlain)) return undefined
    const numbered = policies.map((policy) => ({
      fragment: fragmentOfPolicy(policy),
      numbers: partsOf(policy).args,
    }))
    const text = joinConstantMany(numbered, plainForm(policies), this.#includes)
    if (text === undefined) return undefined
    const script = scriptOf(text, { bytes: true })
    this.#many.set(first, { policies, script })
    return script
  }

  for(question: Question, check: Check): Script | undefined {
    return asksPlainly(question) && isPlainCheck(check) ? this.#scripts.get(check.policy) : undefined
  }

  /** The one for all these questions; undefined where they are not of one limiter, or one of them asks for more. */
  forMany(batch: readonly { readonly question: Question }[]): Script | undefined {
    const first = batch[0]?.question.checks[0]
    const many = first && this.#many.get(first.policy)
    if (many === undefined) return undefined
    for (let i = 0; i < batch.length; i++) {
      const question = batch[i]?.question
      if (question === undefined || !asksPlainly(question) || !asksFor(question, many.policies))
        return undefined
    }
    return many.script
  }
}

function asksPlainly({ charge, maxWaitUs, take, others }: Question): boolean {
  return take && charge === 'all-or-nothing' && maxWaitUs === 0 && others === undefined
}

function isPlainCheck({ cost, shadow }: Check): boolean {
  return cost === 1 && !shadow
}

/** Plainly, for each of these policies in their order. */
function asksFor({ checks }: Question, policies: readonly Policy[]): boolean {
  if (checks.length !== policies.length) return false
  for (let i = 0; i < checks.length; i++) {
    const check = checks[i]
    if (check === undefined || check.policy !== policies[i] || !isPlainCheck(check)) return false
  }
  return true
}

/** What such questions have in common, as decide.lua reads it. */
function plainForm(policies: readonly Policy[]): readonly Argument[] {
  const args: Argument[] = []
  const checks = policies.map((policy) => ({
    id: '',
    key: '',
    policy,
    cost: 1,
    shadow: false,
    note: undefined,
    onStoreFailure: 'local' as const,
  }))
  const question: Question = { checks, charge: 'all-or-nothing', maxWaitUs: 0, take: true }
  pushForm(args, question, { prefix: '', nextCall: () => '', serverUs: () => 0 })
  return args
}

/** All that its script needs is its numbers, and its strategy is one of ours: only these say `at` of their first argument everywhere. */
function isPlain(policy: Policy): boolean {
  const { definition, calendar, blocking, inFlight } = partsOf(policy)
  const needsMore = definition.wants !== undefined || calendar !== undefined || blocking !== undefined
  return definition.redis?.lua === '' && !needsMore && !inFlight
}

/** One for each strategy, and one for all that are asked together with others. */
class Joined {
  readonly #main: MainScript
  readonly #includes: Includes | undefined
  readonly #blocks: boolean
  readonly #single = new Map<AnyStrategy, Script>()
  readonly #together = new Map<string, AnyStrategy>()
  #forTogether: Script | undefined

  constructor(main: MainScript, includes: Includes | undefined, blocks: boolean) {
    this.#main = main
    this.#includes = includes
    this.#blocks = blocks
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
    const text = joinScript(this.#main, definitions.map(fragmentOf), this.#includes, this.#blocks)
    return scriptOf(text, { bytes: this.#main === 'decide' })
  }
}
