import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { memoryStore } from '@sluice/core'
import { manualClock } from '@sluice/testing'
import { attractions } from '../src/attractions.ts'
import { countByFile } from '../src/by-file.ts'
import type { Count } from '../src/counting.ts'

let file: string
beforeAll(async () => {
  file = path.join(await mkdtemp(path.join(tmpdir(), 'zoo-by-file-')), 'limits.yaml')
})
afterAll(() => rm(path.dirname(file), { recursive: true }))

/** How the tigers stand after one order of bob's, where the tree says this of all attractions. */
async function standing(visitor: string | null, everywhere: string): Promise<Count> {
  await writeFile(file, `schema: { attraction: { children: { "*": ${everywhere} } } }`)
  const store = memoryStore({ clock: manualClock() })
  const counting = await countByFile(file, { store, terminal: console })
  const [tiger] = attractions
  if (tiger === undefined) throw new Error('there are attractions')
  const counter = counting.counterOf(tiger)
  const { key, ...options } = counter.questionOf({ visitor: 'bob', quantity: 1 })
  await counter.limiter.check(key, options)
  const { count } = await counter.look(visitor)
  await counting.close()
  return count
}

const log = 'limits: { strategy: slidingWindowLog, limit: 5, window: 1m }'
const visitors = (children: string) => `{ ${log}, children: { visitor: { children: { ${children} } } } }`
const gates = visitors('"*": { limits: { strategy: uniform, interval: 10s } }')
const two =
  '"*": { limits: { day: { strategy: fixedWindow, limit: 1, window: 1d }, gate: { strategy: uniform, interval: 10s } } }'

describe('an attraction by a file', () => {
  // biome-ignore format: a table
  it.each([
    // what                        visitor  tree                                                               how it stands
    ['unlimited',                  'bob',   '{ limits: unlimited }',                                           { strategy: 'no limit', limit: null, left: null }],
    ['limited in shadow',          'bob',   '{ limits: { strategy: gcra, count: 1, period: 1h, shadow: true } }', { strategy: 'no limit', rule: 'every order is served', limit: null }],
    ['denied',                     'bob',   '{ limits: deny }',                                                { strategy: 'closed', rule: 'nobody gets in', limit: 0, left: 0, visitor: null }],
    ['with three numbers',         'bob',   '{ limits: [20, 10, 1] }',                                         { strategy: 'GCRA', rule: '10 per 1 s, burst 20', limit: 21, left: 20, inWindow: null }],
    ['with windows',               'bob',   '{ limits: { strategy: multiWindow, limits: [{ limit: 2, window: 1s }, { limit: 9, window: 10s }] } }', { strategy: 'multi window', rule: '2 per 1 s, 9 per 10 s', limit: 2, left: 1, inWindow: '1 s' }],
    ['with two policies',          'bob',   '{ limits: { day: { strategy: fixedWindow, limit: 9, window: 1d }, rate: [20, 10, 1] } }', { strategy: 'fixed window + GCRA', rule: '9 per 1 d, 10 per 1 s, burst 20', limit: 9, left: 8 }],
    ['with gates, to bob',         'bob',   gates,                                                             { strategy: 'log + gate per visitor', rule: '5 per 1 m, one per visitor every 10 s', left: 4, visitor: { mayBuy: false, againInMs: 10_000 } }],
    ['with gates, to ann',         'ann',   gates,                                                             { left: 4, visitor: { mayBuy: true, againInMs: null } }],
    ['with gates, to nobody',      null,    gates,                                                             { strategy: 'log + gate per visitor', left: 4, visitor: null }],
    ['with two limits a visitor',  'bob',   visitors(two),                                                     { rule: '5 per 1 m, one per visitor every 1 d, one per visitor every 10 s', visitor: { mayBuy: false, againInMs: 86_400_000 } }],
    ['with places a visitor',      'bob',   visitors('"*": { limits: { strategy: concurrency, limit: 2 } }'),  { rule: '5 per 1 m, 2 at once per visitor' }],
    ['that lifts bob\'s limits',   'bob',   visitors('bob: { limits: unlimited }'),                            { strategy: 'log', left: 5, visitor: null }],
    ['that denies eve',            'eve',   visitors('eve: { limits: deny }'),                                 { strategy: 'log + closed per visitor', rule: '5 per 1 m', left: 4, visitor: { mayBuy: false, againInMs: null } }],
  ])('%s', async (_what, visitor, tree, expected) => {
    expect(await standing(visitor, tree)).toMatchObject(expected)
  })
})
