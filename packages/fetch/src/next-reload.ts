import { isOptionError, type Limiter } from '@sluice/core'

type Closed = Pick<Limiter, 'close'>

// By a registered symbol: each load of a module has a copy of this one.
const mark = Symbol.for('sluice.next-limiters')
interface Shared {
  [mark]?: Map<string, Closed[]>
  readonly process?: { readonly env?: { readonly [name: string]: string | undefined } }
}
const shared: Shared = globalThis

/**
 * Makes a limit. In development Next.js loads a changed module anew without notice. A limiter with other policies then takes the name of
 * the one that the module has made before, which on one store would be an error.
 */
export function madeAnew<L extends { readonly limiter: Closed }>(name: string, make: () => L): L {
  if (shared.process?.env?.NODE_ENV !== 'development') return make()
  shared[mark] ??= new Map()
  const limit = inPlaceOf(shared[mark], name, make)
  shared[mark].set(name, [...(shared[mark].get(name) ?? []), limit.limiter])
  return limit
}

function inPlaceOf<L>(made: Map<string, Closed[]>, name: string, make: () => L): L {
  try {
    return make()
  } catch (thrown) {
    const earlier = made.get(name)
    if (earlier === undefined || !isOptionError(thrown) || thrown.path !== 'name') throw thrown
    // Closing frees the name at once.
    for (const limiter of earlier) void limiter.close()
    made.delete(name)
    return make()
  }
}
