import { describe, expect, it } from '@jest/globals'
import { explain } from '../src/explain.ts'
import { readLimitsText } from '../src/read.ts'
import { walk } from '../src/tree.ts'
import { original, readable } from './examples.ts'

const rules = readLimitsText(`schema:
  user:
    limits: { strategy: multiWindow, limits: [{ limit: 4, window: 1s }, { limit: 9, window: 10s }] }
    children:
      "*":
        limits: { strategy: uniform, interval: 10s, onStoreFailure: allow }
        children:
          trade: { limits: [5, 10, 15] }
          status: {}
      root:
        limits: unlimited
        children:
          export: { limits: [1, 2, 3] }
      reports:
        limits: { strategy: concurrency, limit: 5, lease: 1m }
      nobody:
        limits: deny
        children:
          status: { limits: unlimited }
          orders: { limits: deny }
  open:
    children:
      door: { limits: unlimited }
`)

// biome-ignore format: a table
const walks = [
  // path                          limits met                            lifted by     denied by
  ['user',                         ['user'],                             undefined,    undefined],
  ['user/alex',                    ['user', 'user/*'],                   undefined,    undefined],
  ['user/alex/trade',              ['user', 'user/*', 'user/*/trade'],   undefined,    undefined],
  ['user/*/trade',                 ['user', 'user/*', 'user/*/trade'],   undefined,    undefined],
  // It leaves the tree, or comes where nothing is said.
  ['user/alex/nowhere/at/all',     ['user', 'user/*'],                   undefined,    undefined],
  ['user/alex/status',             ['user', 'user/*'],                   undefined,    undefined],
  ['user/alex/trade/more',         ['user', 'user/*', 'user/*/trade'],   undefined,    undefined],
  // An exact name wins over "*", with all that is below it.
  ['user/root',                    [],                                   'user/root',  undefined],
  ['user/root/trade',              [],                                   'user/root',  undefined],
  ['user/root/export',             ['user/root/export'],                 'user/root',  undefined],
  ['user/nobody',                  ['user'],                             undefined,    'user/nobody'],
  ['user/nobody/status',           [],                                   'user/nobody/status', 'user/nobody'],
  ['user/nobody/orders',           ['user'],                             undefined,    'user/nobody'],
  ['open/door',                    [],                                   'open/door',  undefined],
] as const

describe('a path', () => {
  it.each(walks)('meets the limits on its way: %s', (path, met, lifted, denied) => {
    const branch = walk(rules, path.split('/'))
    expect(branch?.met.map(({ name }) => name)).toEqual(met)
    expect(branch).toMatchObject({ lifted, denied })
  })

  it.each([[[]], [['open']], [['nowhere']], [['']], [['__proto__', 'constructor']]])(
    'meets nothing: %j',
    (path) => {
      expect(walk(rules, path)).toBeUndefined()
    },
  )

  it('is answered with a list that was made when the file was read', () => {
    const met = walk(rules, ['user', 'alex', 'trade'])?.met
    expect(met).toBe(walk(rules, ['user', 'bob', 'trade'])?.met)
  })
})

describe('what applies to a path', () => {
  // biome-ignore format: a table
  it.each([
    // file      path                     level, policy, text
    [original,   'user/alex/trade',       [['user/*', 'gcra', 'gcra: 30 per 60s, burst 15; key user/alex'], ['user/*/trade', 'gcra', 'gcra: 10 per 15s, burst 5; key user/alex/trade']]],
    [original,   'user/a%2Fb',            [['user/*', 'gcra', 'gcra: 30 per 60s, burst 15; key user/a%2Fb']]],
    [original,   'nowhere',               []],
    [readable,   'ip/192.0.2.1',          [
      ['ip/*/perMinute', 'gcra', 'gcra: 100 per 1m; key ip/192.0.2.1'],
      ['ip/*/daily', 'fixedWindow', 'fixedWindow: 10000 per 1d, start clock; key ip/192.0.2.1'],
      ['ip/*/login', 'slidingWindowLog', 'slidingWindowLog: 5 per 15m; key ip/192.0.2.1; shadow: never refuses; on store failure deny'],
    ]],
    [readable,   'ip/192.0.2.1/health',   [['ip/*/health', 'unlimited', 'unlimited: the limits met before it do not apply']]],
    [readable,   'ip/192.0.2.1/admin/x',  [['ip/*/admin', 'deny', 'deny: refused, whatever the limits']]],
  ] as const)('is explained in the order in which it is met: %#, %s', (file, path, expected) => {
    const names = path.split('/').map(decodeURIComponent)
    const explained = explain(readLimitsText(file), names)
    expect(explained.map(({ level, policy, text }) => [level, policy, text])).toEqual(expected)
  })

  // biome-ignore format: a table
  it.each([
    // path               texts
    ['user/alex',         ['multiWindow: 4 per 1s and 9 per 10s; key user', 'uniform: 1 per 10s; key user/alex; on store failure allow']],
    ['user/root/export',  ['unlimited: the limits met before it do not apply', 'gcra: 2 per 3s, burst 1; key user/root/export']],
    ['user/reports',      ['multiWindow: 4 per 1s and 9 per 10s; key user', 'concurrency: 5 at once, lease 1m; key user/reports']],
    ['user/nobody/status', ['deny: refused, whatever the limits']],
  ])('has the numbers of every strategy: %s', (path, texts) => {
    expect(explain(rules, path.split('/')).map(({ text }) => text)).toEqual(texts)
  })
})
