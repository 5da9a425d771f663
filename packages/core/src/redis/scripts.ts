import type { Policy } from '../policy.ts'
import type { Check } from '../store.ts'
import type { AnyStrategy } from '../strategies/definition.ts'
import { partsOf } from '../strategies/policy-parts.ts'
import { LaterScript, type Script } from './connection.ts'
import { luaTexts } from './lua.ts'
import {
  type Fragment,
  type Includes,
  joinScript,
  type MainScript,
  type Mark,
  reservingFragment,
} from './lua-text.ts'

/** The Lua of a strategy: those of Sluice are found by their names, others bring their own text. */
export function fragmentOf({ name, code, redis }: AnyStrategy): Fragment {
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
