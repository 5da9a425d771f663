import { beforeEach, describe, expect, it } from '@jest/globals'
import { answering } from '@sluice/conformance/internal'
import { createLimiter, fixedWindow, memoryStore, type Policy, type Store } from '../../src/index.ts'

const five = fixedWindow({ limit: 5, window: '1m' })
const six = fixedWindow({ limit: 6, window: '1m' })

describe('limiters on one store', () => {
  it('of one name and the same policies share their counts', async () => {
    const store = memoryStore()
    const one = createLimiter({ name: 'login', store, policy: five })
    const other = createLimiter({ name: 'login', store, policy: fixedWindow({ limit: 5, window: 60_000 }) })
    await one.check('bob')
    expect((await other.check('bob')).remaining).toBe(3)
  })

  // biome-ignore format: a table
  it.each<[string, { [name: string]: Policy }]>([
    // what differs            policies
    ['the numbers',            { default: six }],
    ['the policy’s name',      { other: five }],
    ['the number of policies', { default: five, more: six }],
  ])('of one name and other policies want a name of their own: %s', (_what, policies) => {
    const store = memoryStore()
    createLimiter({ store, policy: five })
    expect(() => createLimiter({ store, policies })).toThrow(
      'name: expected a name of its own, as another open limiter of this name counts other policies on this store, got "default" (string)',
    )
    expect(() => createLimiter({ store, policies, name: 'another' })).not.toThrow()
    expect(() => createLimiter({ store: memoryStore(), policies })).not.toThrow()
  })

  it('of one name whose keys lie otherwise want a name of their own', () => {
    const store = memoryStore()
    createLimiter({ store, policy: five, tag: 1 })
    expect(() => createLimiter({ store, policy: five, tag: 1 })).not.toThrow()
    expect(() => createLimiter({ store, policy: five })).toThrow('name: expected a name of its own')
  })

  it('are warned of once, when a thousand of one name are open there', async () => {
    const lines: string[] = []
    const store = memoryStore()
    const logger = { warn: (line: string) => lines.push(line), error: () => {} }
    const make = () => createLimiter({ name: 'login', store, policy: five, logger })
    for (let i = 0; i < 2000; i++) await make().close()
    const open = Array.from({ length: 999 }, make)
    for (let i = 0; i < 1000; i++) createLimiter({ name: `tenant-${i}`, store, policy: five, logger })
    expect(lines).toEqual([])
    const last = make()
    expect(lines).toEqual([expect.stringContaining('SLUICE_MADE_PER_REQUEST')])
    expect(last.health().warnings).toEqual(['SLUICE_MADE_PER_REQUEST'])
    await open[0]?.close()
    for (let i = 0; i < 10; i++) make()
    expect(lines).toHaveLength(1)
  })

  it('free their name when the last of them is closed', async () => {
    const store = memoryStore()
    const first = createLimiter({ store, policy: five })
    const second = createLimiter({ store, policy: five })
    await first.close()
    await first.close()
    expect(() => createLimiter({ store, policy: six })).toThrow(TypeError)
    await second.close()
    expect(() => createLimiter({ store, policy: six })).not.toThrow()
  })

  it('of a name that is refused hold nothing', async () => {
    const store = memoryStore()
    const first = createLimiter({ store, policy: five })
    expect(() => createLimiter({ store, policy: six })).toThrow(TypeError)
    await first.close()
    expect(() => createLimiter({ store, policy: six })).not.toThrow()
  })

  // biome-ignore format: a table
  it.each([
    // one limiter          its policy  another              its policy  why they could be one
    ['login',               'ip',       'browse',            'ip',       'the same policy and key'],
    ['login',               'ip',       'login:ip',          'fw',       'a delimiter in the name'],
    ['a:b',                 'c',        'a',                 'b:c',      'a delimiter in the policy’s name'],
    ['a',                   'b',        'a%3ab',             'b',        'an escape in the name'],
    ['{a}',                 'b',        '%7ba%7d',           'b',        'braces in the name'],
    ['\ud800',              'b',        '\ud801',            'b',        'halves of a pair of surrogates'],
    ['a',                   'constructor', 'a',              'prototype', 'names that objects have'],
  ])('of different names never meet: %j %j and %j %j (%s)', async (name, policy, otherName, otherPolicy) => {
    const store = memoryStore()
    const one = createLimiter({ name, store, policies: { [policy]: five } })
    const other = createLimiter({ name: otherName === name ? `${name} ` : otherName, store, policies: { [otherPolicy]: five } })
    await one.check('bob', { cost: 5 })
    expect((await other.peek('bob')).remaining).toBe(5)
  })
})

describe('limiters of one name on two stores', () => {
  const inRedis = (prefix: string) => ({ ...answering([]), prefix })
  const lines: string[] = []
  const logger = { warn: (line: string) => lines.push(line), error: () => {} }
  const login = (store: Store, policy: Policy) => createLimiter({ name: 'login', store, policy, logger })
  beforeEach(() => void lines.splice(0))

  it('of one prefix are warned of where they count other policies', async () => {
    const first = login(inRedis('one:'), five)
    login(inRedis('one:'), five)
    expect(lines).toEqual([])
    const other = login(inRedis('one:'), six)
    expect(lines).toEqual([
      expect.stringContaining(
        'SLUICE_SAME_NAME: another limiter called "login" counts other policies under the same keys: rename one',
      ),
    ])
    expect(first.health().warnings).toEqual([])
    expect(other.health().warnings).toEqual(['SLUICE_SAME_NAME'])
  })

  it('count other keys by another prefix, another name or in memory, or after the end of the first', async () => {
    const first = login(inRedis('two:'), five)
    login(inRedis('three:'), six)
    createLimiter({ name: 'search', store: inRedis('two:'), policy: six, logger })
    login(memoryStore(), five)
    login(memoryStore(), six)
    await first.close()
    login(inRedis('two:'), six)
    expect(lines).toEqual([])
  })
})

describe('the end of a limiter', () => {
  it('closes the store that it made, and no other', async () => {
    const closed: string[] = []
    const mine = { ...answering([]), close: async () => void closed.push('mine') }
    await createLimiter({ store: mine, policy: five }).close()
    expect(closed).toEqual([])
  })
})
