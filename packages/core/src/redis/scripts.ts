import type { Check } from '../store.ts'
import { type AnyStrategy, partsOf } from '../strategies/definition.ts'
import { type Fragment, type Includes, joinScript, type MainScript } from './join.ts'
import { type Script, scriptOf } from './script.ts'

function fragmentOf({ code, redis }: AnyStrategy): Fragment {
  return { code, lua: redis?.lua ?? '' }
}

/** The scripts of a store: one for each set of strategies that are asked together, joined and hashed once. */
export class Scripts {
  readonly #main: MainScript
  readonly #includes: Includes | undefined
  readonly #single = new Map<AnyStrategy, Script>()
  readonly #several = new Map<string, Script>()

  constructor(main: MainScript, includes?: Includes) {
    this.#main = main
    this.#includes = includes
  }

  for(checks: readonly Pick<Check, 'policy'>[]): Script {
    const [first] = checks
    if (first === undefined) throw new RangeError('a script is joined for at least one check')
    const { definition } = partsOf(first.policy)
    let mixed: Set<AnyStrategy> | undefined
    for (let i = 1; i < checks.length; i++) {
      const check = checks[i]
      if (check === undefined) continue
      const other = partsOf(check.policy).definition
      if (other === definition) continue
      mixed ??= new Set([definition])
      mixed.add(other)
    }
    return mixed === undefined ? this.#forOne(definition) : this.#forSeveral(mixed)
  }

  #forOne(definition: AnyStrategy): Script {
    const known = this.#single.get(definition)
    if (known !== undefined) return known
    const script = this.#join([fragmentOf(definition)])
    this.#single.set(definition, script)
    return script
  }

  #forSeveral(definitions: ReadonlySet<AnyStrategy>): Script {
    const fragments = new Map([...definitions].map(fragmentOf).map((fragment) => [fragment.code, fragment]))
    const codes = [...fragments.keys()].sort().join(' ')
    const known = this.#several.get(codes)
    if (known !== undefined) return known
    const script = this.#join([...fragments.values()])
    this.#several.set(codes, script)
    return script
  }

  #join(fragments: readonly Fragment[]): Script {
    return scriptOf(joinScript(this.#main, fragments, this.#includes))
  }
}
