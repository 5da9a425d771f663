import { describe, expect, it } from '@jest/globals'
import { readLabel, safeLabel } from '../src/safe-label.ts'
import { pairsOf, readRanges } from '../src/time-series-replies.ts'

const at = 1_700_000_000_000
const ranges = [
  { key: 'hits:u1', labels: { data: 'hits', user: 'u1' }, samples: [{ atMs: at, units: 3 }] },
  { key: 'hits:u2', labels: {}, samples: [] },
]
const aggregators = { aggregators: ['sum'] }

describe('what TS.MRANGE answers', () => {
  // biome-ignore format: a table
  it.each<[form: string, reply: unknown]>([
    ['in RESP2',
     [['hits:u1', [['data', 'hits'], ['user', 'u1']], [[at, '3']]], ['hits:u2', [], []]]],
    ['in RESP3, as objects',
     { 'hits:u1': [{ data: 'hits', user: 'u1' }, aggregators, [[at, 3]]], 'hits:u2': [{}, aggregators, []] }],
    ['in RESP3, as maps',
     new Map([['hits:u1', [new Map([['data', 'hits'], ['user', 'u1']]), new Map(), [[at, 3]]]], ['hits:u2', [new Map(), new Map(), []]]])],
    ['in RESP3, as flat lists',
     ['hits:u1', [['data', 'hits', 'user', 'u1'], ['aggregators', ['sum']], [[at, 3]]], 'hits:u2', [[], ['aggregators', ['sum']], []]]],
    ['in RESP3, as lists of pairs',
     [['hits:u1', [[['data', 'hits'], ['user', 'u1']], [['aggregators', ['sum']]], [[at, 3]]]], ['hits:u2', [[], [], []]]]],
  ])('is read %s', (_, reply) => {
    expect(readRanges(reply)).toEqual(ranges)
  })

  it.each([[[]], [{}], [null], [new Map()]])('is read where nothing matches: %j', (reply) => {
    expect(readRanges(reply)).toEqual([])
  })
})

describe('a list of names and values', () => {
  it.each<[form: string, reply: unknown]>([
    ['of RESP2', ['totalSamples', 3, 'labels', [['data', 'hits']]]],
    ['of RESP3', { totalSamples: 3, labels: { data: 'hits' } }],
  ])('%s is read', (_, reply) => {
    const found = pairsOf(reply)
    expect(found.map(([name]) => name)).toEqual(['totalSamples', 'labels'])
    expect(pairsOf(found[1]?.[1])).toEqual([['data', 'hits']])
  })
})

describe('a label', () => {
  // biome-ignore format: a table
  it.each([
    // text     as the module takes it
    ['tiger',   'tiger'],
    ['GET /a',  'GET /a'],
    ['',        '%'],
    ['%',       '%25'],
    ['(a,b)',   '%28a%2cb%29'],
    ['a="b"',   'a%3d%22b%22'],
    ['%28',     '%2528'],
  ])('%j is sent as %j, and read again', (text, safe) => {
    expect(safeLabel(text)).toBe(safe)
    expect(readLabel(safe)).toBe(text)
  })
})
