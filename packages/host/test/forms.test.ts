import { expect, it } from '@jest/globals'
import { createLimiter, defineStrategy, fixedWindow, gcra, type Policy } from '@sluice/core'
import { catalogue, definitions, partsOf } from '@sluice/core/internal'
import { Forms, formOf } from '../src/forms.ts'
import { hostStore } from '../src/index.ts'

const every = [...catalogue.declaredStrategies.values()].map((declared): [string, Policy] => {
  const options = catalogue.optionsFor(declared, { units: 3, span: '10s' })
  return [declared.name, catalogue.policyOfData({ strategy: declared.name, ...options })]
})
function sinceOf(policy: Policy): Policy {
  return partsOf(policy).calendar?.since?.(policy, '2024-01-31T09:00:00Z') ?? policy
}

const policies: [string, Policy][] = [
  ...every,
  ['a day of a calendar', fixedWindow({ limit: 3, every: 'day', timeZone: 'Europe/Vienna' })],
  [
    'a month since an instant of the call',
    sinceOf(fixedWindow({ limit: 3, every: 'month', timeZone: 'UTC' })),
  ],
  [
    'a policy that blocks',
    gcra({ count: 3, period: '1m', blockFor: { first: '1m', factor: 2, banAfter: 3 } }),
  ],
]

it.each(policies)('%s is the same at the other end, also chosen for a call', (_, policy) => {
  const forms = new Forms()
  for (const sent of [policy, definitions.chosenFor(policy, every[0]?.[1])]) {
    const read = forms.policyOf(formOf(sent))
    expect(partsOf(read).numbers).toEqual(partsOf(sent).numbers)
    expect(partsOf(read).blocking).toEqual(partsOf(sent).blocking)
    expect(read).toEqual(sent)
    // By identity, as stores compare numbers.
    expect(forms.policyOf(formOf(sent))).toBe(read)
  }
})

const own = defineStrategy<{ limit: number }, { limit: number }, number, never>({
  name: 'own',
  can: [],
  parse: (options) => options,
  look: () => {
    throw new Error('nobody asks')
  },
  take: () => 0,
  idleUs: () => 0,
})

it('a strategy of one’s own is an OptionError, as another process might not know it', async () => {
  const store = hostStore({ path: '/tmp/sluice-host-nobody' })
  expect(() => createLimiter({ policy: own({ limit: 1 }), store })).toThrow(
    expect.objectContaining({ code: 'SLUICE_OPTION', path: 'policies.default' }),
  )
  await store.close()
})

it.each([
  [{ path: 'relative' }, 'path'],
  [{ path: '' }, 'path'],
  [{ path: 7 }, 'path'],
  [{ path: `/${'long'.repeat(30)}` }, 'path'],
  [{ file: 'relative' }, 'file'],
  [{ deadline: 'soon' }, 'deadline'],
  [{ folder: '/tmp' }, 'folder'],
])('%j is an OptionError', (options, path) => {
  expect(() => hostStore(options as object)).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', path }))
})
