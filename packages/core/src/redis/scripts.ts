import type { Policy } from '../policy.ts'
import type { Check, Question } from '../store.ts'
import { type AnyStrategy, partsOf } from '../strategies/definition.ts'
import { batchCall } from './batch.ts'
import {
  type Fragment,
  type Includes,
  joinConstant,
  joinConstants,
  joinScript,
  type MainScript,
} from './join.ts'
import { strategies } from './lua.generated.ts'
import { type Script, scriptOf } from './script.ts'

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

/** So many policies, and sets of them, of a process have scripts of their own, as a server keeps what it has loaded. */
const mostConstant = 64

/** The scripts of policies whose numbers are part of the program: what most callers ask of them has no argument but an instant. */
export class ConstantScripts {
  readonly #includes: Includes | undefined
  readonly #scripts = new Map<Policy, Script>()
  /** Few: they are looked through. */
  readonly #together: Together[] = []

  constructor(includes?: Includes) {
    this.#includes = includes
  }

  /** The policy's script, new or not; undefined where it has none. */
  add(policy: Policy): Script | undefined {
    const known = this.#scripts.get(policy)
    if (known !== undefined || this.#made >= mostConstant || !isPlain(policy)) return known
    const { definition, args } = partsOf(policy)
    const fragment = { ...fragmentOf(definition), ours: definition.redis?.lua === '' }
    const script = scriptOf(joinConstant(fragment, args, this.#includes))
    this.#scripts.set(policy, script)
    return script
  }

  /** The script of policies that are asked together, new or not; undefined where they have none. */
  addTogether(policies: readonly Policy[]): Script | undefined {
    const known = this.#togetherOf(policies)
    if (known !== undefined || this.#made >= mostConstant || !policies.every(isPlain)) return known
    const definitions = [...new Set(policies.map((policy) => partsOf(policy).definition))]
    const constants = argumentsOf(policies.map(plainly))
    const script = scriptOf(joinConstants(definitions.map(fragmentOf), constants, this.#includes), {
      bytes: true,
    })
    this.#together.push({ policies: [...policies], script })
    return script
  }

  get #made(): number {
    return this.#scripts.size + this.#together.length
  }

  #togetherOf(policies: readonly Policy[]): Script | undefined {
    return this.#together.find((each) => isSame(each.policies, policies))?.script
  }

  for(question: Question): Script | undefined {
    const { checks, charge, maxWaitUs, take, others } = question
    if (!take || charge !== 'all-or-nothing' || maxWaitUs !== 0 || others !== undefined) return undefined
    for (let i = 0; i < checks.length; i++)
      if (checks[i]?.cost !== 1 || checks[i]?.shadow === true) return undefined
    const [only] = checks
    if (only !== undefined && checks.length === 1) return this.#scripts.get(only.policy)
    for (const { policies, script } of this.#together) if (areOf(checks, policies)) return script
    return undefined
  }
}

/** Policies that are asked together, and their script. */
interface Together {
  readonly policies: readonly Policy[]
  readonly script: Script
}

function isSame(one: readonly Policy[], other: readonly Policy[]): boolean {
  return one.length === other.length && one.every((policy, i) => policy === other[i])
}

function areOf(checks: readonly Check[], policies: readonly Policy[]): boolean {
  if (checks.length !== policies.length) return false
  for (let i = 0; i < checks.length; i++) if (checks[i]?.policy !== policies[i]) return false
  return true
}

function plainly(policy: Policy): Check {
  const none = { id: '', key: '', note: undefined, shadow: false, onStoreFailure: 'local' } as const
  return { ...none, policy, cost: 1 }
}

/** What a call that asks these checks together says behind its first argument. */
function argumentsOf(checks: readonly Check[]): readonly string[] {
  const question: Question = { checks, charge: 'all-or-nothing', maxWaitUs: 0, take: true }
  const parts = { prefix: '', nextCall: () => '', serverUs: () => 0 }
  return batchCall([{ question }], parts).args.slice(1).map(String)
}

/** All that its script needs is its numbers. */
function isPlain(policy: Policy): boolean {
  const { definition, calendar, blocking, inFlight } = partsOf(policy)
  return definition.wants === undefined && calendar === undefined && blocking === undefined && !inFlight
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
