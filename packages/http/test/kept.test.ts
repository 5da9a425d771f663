import { describe, expect, it } from '@jest/globals'
import { KeptWith } from '../src/kept.ts'

interface Response {
  readonly req?: { readonly rawHeaders?: readonly string[] }
}

/** A response to a request of Node, and one of a platform that has no such request. */
const kinds: readonly [string, () => Response][] = [
  ['to a request of Node', () => ({ req: { rawHeaders: ['Host', 'localhost'] } })],
  ['without a request', () => ({})],
  ['that is frozen', () => Object.freeze({})],
  [
    'to a request whose headers are frozen',
    () => ({ req: { rawHeaders: Object.freeze(['Host', 'localhost']) } }),
  ],
]

describe.each(kinds)('what is kept with a response %s', (_kind, make) => {
  it('is that of this response, and not of another', () => {
    const kept = new KeptWith<Response, string>()
    const [one, two] = [make(), make()]
    kept.set(one, 'one')
    expect([kept.get(one), kept.get(two)]).toEqual(['one', undefined])
    kept.set(two, 'two')
    kept.set(one, 'again')
    expect([kept.get(one), kept.get(two)]).toEqual(['again', 'two'])
  })

  it('is gone once it is deleted', () => {
    const kept = new KeptWith<Response, string>()
    const response = make()
    kept.set(response, 'one')
    kept.delete(response)
    expect(kept.get(response)).toBeUndefined()
  })

  it('is nothing that is kept for another purpose', () => {
    const [kept, others] = [new KeptWith<Response, string>(), new KeptWith<Response, string>()]
    const response = make()
    others.set(response, 'other')
    expect(kept.get(response)).toBeUndefined()
    kept.set(response, 'one')
    kept.delete(response)
    expect(others.get(response)).toBe('other')
  })
})

it('each of two responses to one request keeps its own, whichever ends first', () => {
  const kept = new KeptWith<Response, string>()
  const req = { rawHeaders: ['Host', 'localhost'] }
  const [one, two] = [{ req }, { req }]
  kept.set(one, 'one')
  kept.set(two, 'two')
  expect([kept.get(one), kept.get(two)]).toEqual(['one', 'two'])
  kept.delete(one)
  expect([kept.get(one), kept.get(two)]).toEqual([undefined, 'two'])
  kept.set(one, 'again')
  kept.delete(two)
  expect([kept.get(one), kept.get(two)]).toEqual(['again', undefined])
})
