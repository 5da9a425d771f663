import { afterEach, describe, expect, it } from '@jest/globals'
import { decisions } from '@sluice/core/internal'
import { type Limits, loadLimits, type TogetherDecision } from '../src/index.ts'
import { Pattern } from '../src/pattern.ts'

const one = '{ strategy: fixedWindow, limit: 1, window: 1h }'
const two = '{ strategy: fixedWindow, limit: 2, window: 1h }'
const text = `
match: end
schema:
  shop:
    limits: ${one}
    children:
      user:
        limits: ${one}
        children:
          ann: { limits: ${two} }
          "*": { limits: ${one}, children: { path: { limits: ${one} } } }
      open: { limits: unlimited, children: { door: { limits: ${one} } } }
      shut: { limits: deny, children: { door: { limits: ${one} } } }
      file:
        patterns:
          "/a/*": { shared: true, limits: ${two}, children: { "*": { limits: ${one} } } }
          "/*/b": { limits: ${one} }
        children:
          "/a/own": { limits: ${one} }
          "*": { shared: true, limits: ${two} }
`
let limits: Limits | undefined
afterEach(() => limits?.close())
async function load(given = text): Promise<Limits> {
  limits = await loadLimits({ text: given, logger: { warn() {}, error() {} } })
  return limits
}
const policiesOf = async (all: Limits, path: readonly string[]) =>
  Object.keys((await all.check(path)).verdicts)

describe('where only the end of a path counts', () => {
  // biome-ignore format: a table
  it.each([
    // path                           limits met
    [['shop'],                        ['shop']],
    [['shop', 'user'],                ['shop/user']],
    [['shop', 'user', 'ann'],         ['shop/user/ann']],
    [['shop', 'user', 'bob'],         ['shop/user/*']],
    [['shop', 'user', 'bob', 'path'], ['shop/user/*/path']],
    [['shop', 'open', 'door'],        ['shop/open/door']],
    [['shop', 'shut', 'door'],        ['shop/shut/door']],
    // It leaves the tree, or ends where nothing is said.
    [['shop', 'user', 'ann', 'path'], []],
    [['shop', 'user', 'bob', 'none'], []],
    [['shop', 'file'],                []],
    [['none'],                        []],
  ] as const)('%j meets %j', async (path, met) => {
    expect(await policiesOf(await load(), path)).toEqual(met)
  })

  it('all names of a key choose its slot of a cluster, as no path has two limits', async () => {
    const slotOf = async (all: Limits, name: string) => {
      const [verdict] = decisions.verdictsBehind(await all.check(['shop', 'user', name]))
      return verdict?.check.key.split('}')[0]
    }
    const ends = await load()
    expect(await slotOf(ends, 'bob')).not.toBe(await slotOf(ends, 'eve'))
    await ends.close()
    const along = await load(
      `schema: { shop: { children: { user: { children: { "*": { limits: ${one} } } } } } }`,
    )
    expect(await slotOf(along, 'bob')).toBe(await slotOf(along, 'eve'))
  })

  it('deny refuses its own place, and none below it', async () => {
    const all = await load()
    expect((await all.check(['shop', 'shut'])).reason).toBe('denied')
    expect((await all.check(['shop', 'shut', 'other'])).allowed).toBe(true)
    expect(all.explain(['shop', 'shut', 'other'])).toEqual([])
  })
})

describe('patterns', () => {
  // biome-ignore format: a table
  it.each([
    // name       limits met
    ['/a/own',    ['shop/file/%2Fa%2Fown']],   // a name of its own wins
    ['/a/b',      ['shop/file/%2Fa%2F*']],     // the first pattern wins
    ['/c/b',      ['shop/file/%2F*%2Fb']],
    ['/c',        ['shop/file/*']],
  ] as const)('take what has no name of its own: %s', async (name, met) => {
    expect(await policiesOf(await load(), ['shop', 'file', name])).toEqual(met)
  })

  it('share a count where they say so, also below', async () => {
    const all = await load()
    const leftOf = async (...names: readonly string[]) =>
      (await all.check(['shop', 'file', ...names])).remaining
    expect([await leftOf('/a/1'), await leftOf('/a/2')]).toEqual([1, 0])
    expect([await leftOf('x'), await leftOf('y')]).toEqual([1, 0])
    expect([await leftOf('/1/b'), await leftOf('/2/b')]).toEqual([0, 0])
    expect((await all.check(['shop', 'file', '/a/1', 'read'])).allowed).toBe(true)
    expect((await all.check(['shop', 'file', '/a/2', 'read'])).allowed).toBe(false)
    expect((await all.check(['shop', 'file', '/a/2', 'write'])).allowed).toBe(true)
    expect(all.explain(['shop', 'file', '/a/2', 'write']).map(({ text }) => text)).toEqual([
      'fixedWindow: 1 per 1h; key shop/file/%2Fa%2F*/write',
    ])
  })

  it('hold where all limits of a path apply, too', async () => {
    const all = await load(`schema: { a: { patterns: { "b*": { limits: ${two} } }, limits: ${two} } }`)
    expect(await policiesOf(all, ['a', 'b1', 'more'])).toEqual(['a', 'a/b*'])
    expect(await policiesOf(all, ['a', 'c'])).toEqual(['a'])
  })

  // biome-ignore format: a table
  it.each([
    // pattern    what it matches                       what it does not
    ['a*',        ['a', 'ab', 'a*'],                    ['', 'b', 'ba']],
    ['*a',        ['a', 'ba'],                          ['ab']],
    ['a*a',       ['aa', 'aba'],                        ['a', 'ab']],
    ['a*b*c',     ['abc', 'axbxc', 'abbc', 'abcbc'],    ['ac', 'acb', 'abcd']],
    ['*b*b',      ['bb', 'abab'],                       ['b', 'ab', 'bba']],
    ['**',        ['', 'a'],                            []],
    ['a.*',       ['a.', 'a.b'],                        ['ab']],
    ['/x/*/y/*',  ['/x/1/y/', '/x//y/2', '/x/1/2/y/3'], ['/x/1/y', '/x/y/']],
  ])('%s', (pattern, right, wrong) => {
    const matching = (names: readonly string[]) => names.filter((name) => new Pattern(pattern).matches(name))
    expect(matching(right)).toEqual(right)
    expect(matching(wrong)).toEqual([])
  })
})

describe('a place that another of one request replaces', () => {
  const named = `
match: end
schema:
  low: { name: usual, limits: ${one} }
  banned: { name: usual, limits: deny }
  high: { replaces: [usual, none], limits: ${two} }
  free: { replaces: [usual], limits: unlimited }
`
  const together = (all: Limits, ...names: readonly string[]) =>
    all.checkTogether(names.map((name) => ({ path: [name] })))
  const said = ({ decision, parts }: TogetherDecision) => [
    decision.allowed,
    ...parts.map(({ end }) => end.says),
  ]

  it('does not apply, and counts nothing', async () => {
    const all = await load(named)
    expect(said(await together(all, 'low', 'high'))).toEqual([true, 'replaced', 'limits'])
    expect(said(await together(all, 'high', 'low'))).toEqual([true, 'limits', 'replaced'])
    expect(said(await together(all, 'low', 'high'))).toEqual([false, 'replaced', 'limits'])
    expect(said(await together(all, 'low'))).toEqual([true, 'limits'])
    expect(said(await together(all, 'low'))).toEqual([false, 'limits'])
    expect(said(await together(all, 'low', 'free'))).toEqual([true, 'replaced', 'unlimited'])
  })

  it('does not refuse either', async () => {
    const all = await load(named)
    expect(said(await together(all, 'banned'))).toEqual([false, 'deny'])
    expect(said(await together(all, 'banned', 'high'))).toEqual([true, 'replaced', 'limits'])
  })

  it('is not what a path without limits is', async () => {
    limits = await loadLimits({ text: named, unmatched: 'deny' })
    expect(said(await together(limits, 'low', 'high'))).toEqual([true, 'replaced', 'limits'])
    expect(said(await together(limits, 'other'))).toEqual([false, 'nothing'])
  })
})

describe('places with a quota', () => {
  const quotas = `
match: end
schema:
  one: { quota: true, limits: ${one} }
  two: { quota: true, limits: ${two} }
  none: { quota: true, limits: deny }
  never: { quota: true, limits: deny }
  all: { limits: ${two} }
`
  const said = ({ decision, parts }: TogetherDecision) => [
    decision.allowed,
    ...parts.map(({ allowed }) => allowed),
  ]
  const together = async (all: Limits, ...names: readonly string[]) =>
    said(await all.checkTogether(names.map((name) => ({ path: [name] }))))

  it('refuse only together, and one alone as any limit', async () => {
    const all = await load(quotas)
    expect(await together(all, 'one', 'two')).toEqual([true, true, true])
    expect(await together(all, 'one', 'two')).toEqual([true, false, true])
    expect(await together(all, 'one', 'two')).toEqual([false, false, false])
    expect(await together(all, 'one')).toEqual([false, false])
    expect(await together(all, 'all', 'one')).toEqual([false, true, false])
  })

  it('that let nothing pass leave it to the others', async () => {
    const all = await load(quotas)
    expect(await together(all, 'none', 'one')).toEqual([true, false, true])
    expect(await together(all, 'none', 'one')).toEqual([false, false, false])
    expect(await together(all, 'none', 'never')).toEqual([false, false, false])
    expect(await together(all, 'none', 'never', 'all')).toEqual([false, false, false, true])
  })

  it('refuse with the time to wait', async () => {
    const all = await load(quotas)
    const asked = [
      { path: ['one'], cost: 1 },
      { path: ['two'], cost: 2 },
    ]
    await all.checkTogether(asked)
    const { decision } = await all.checkTogether(asked)
    expect(decision).toMatchObject({ allowed: false, reason: 'limited', policy: 'one' })
    expect(decision.retryAfterMs).toBeGreaterThan(3_590_000)
  })

  it('do not spare another limit', async () => {
    const all = await load(quotas)
    for (let i = 0; i < 2; i++) await together(all, 'all')
    expect(await together(all, 'all', 'one', 'two')).toEqual([false, false, true, true])
  })
})
