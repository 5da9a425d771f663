import { createRequire } from 'node:module'
import type { Decision, Policy, Store } from '@sluice/core'
import { numbers } from '../policies.ts'
import { silent } from '../silent.ts'
import type { Form, MakeAsker, Place, Work } from './work.ts'

type Sluice = typeof import('@sluice/core')

const require = createRequire(import.meta.url)

/** Sluice as it is published: one of the two builds, and not the sources. */
export async function loadSluice(form: Form): Promise<Sluice> {
  const file = form === 'cjs' ? require.resolve('@sluice/core') : import.meta.resolve('@sluice/core')
  if (!file.includes(`/dist/${form}/`)) throw new Error(`Not the ${form} build: ${file}`)
  // The same package in its other form.
  return form === 'cjs' ? (require('@sluice/core') as Sluice) : import('@sluice/core')
}

export function askSluice(form: Form): MakeAsker {
  return async (place, work) => {
    const sluice = await loadSluice(form)
    const { keys, refused = false } = work
    const store = storeAt(sluice, place, keys)
    const policies = policiesOf(sluice, work)
    const limiter = sluice.createLimiter({ name: nameOf(work), policies, store, logger: silent })
    await limiter.ready()
    await refuseForHours(sluice)
    const source = place.kind === 'memory' ? 'memory' : 'redis'
    return {
      ask: (key) => limiter.check(key),
      isRight(answer) {
        const decision = answer as Decision // what check resolves to
        return refused ? decision.reason === 'limited' : decision.allowed && decision.source === source
      },
    }
  }
}

/** Most processes have refused somebody for hours. The first such wait changes how V8 keeps the numbers of rows: see RowShape in core. */
async function refuseForHours({ createLimiter, fixedWindow, gcra }: Sluice): Promise<void> {
  const policies = {
    counter: fixedWindow({ limit: 1, window: '12h' }),
    rate: gcra({ count: 1, period: '12h' }),
  }
  for (const policy of Object.values(policies)) {
    const limiter = createLimiter({ policy })
    await limiter.check('any')
    const { allowed } = await limiter.check('any')
    if (allowed) throw new Error('A second request within hours was admitted.')
    await limiter.close()
  }
}

/** In memory: room for twice the keys. */
function storeAt({ memoryStore, redisStore }: Sluice, place: Place, keys: number): Store {
  return place.kind === 'memory'
    ? memoryStore({ maxKeys: Math.max(100_000, 2 * keys) })
    : redisStore(place.client)
}

function policiesOf({ fixedWindow, gcra }: Sluice, work: Work): { readonly [name: string]: Policy } {
  const { strategy, policies = 1, refused = false } = work
  const { counter, rate } = refused ? numbers.narrow : numbers.wide
  if (policies === 1) return { default: strategy === 'counter' ? fixedWindow(counter) : gcra(rate) }
  const several = Array.from({ length: policies }, (_, i) => {
    const policy = gcra({ ...rate, count: rate.count - i, burst: rate.burst + i })
    return [`p${i}`, policy] as const
  })
  return Object.fromEntries(several)
}

/** No two limiters count in each other's keys. */
function nameOf({ strategy, policies = 1, keys, refused = false }: Work): string {
  return `${strategy}${policies}-${keys}${refused ? '-refused' : ''}`
}
