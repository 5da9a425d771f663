import { describe, expect, it } from '@jest/globals'
import type { Figures } from '../../src/plan/figures-read.ts'
import { planOf, tableBytes } from '../../src/plan/plan.ts'
import { reportOf } from '../../src/plan/report.ts'
import { widthOf } from '../../src/terminal/text.ts'
import { given } from './given.ts'

const spread = (median: number) => ({ median, low: median, high: median })
const withGcra = { question: 400, answer: 200, replica: 90 }
const call = {
  question: 200,
  answer: 100,
  replica: 50,
  withGcra,
  withUniform: withGcra,
  sizes: [1],
  cpuUs: [spread(20)],
}

/** Round numbers, so that what follows from them can be computed by hand. */
const round: Figures = {
  on: {
    day: '2026-01-01',
    redis: '0',
    allocator: 'none',
    node: '0',
    cores: 1,
    processor: 'none',
    system: 'none',
  },
  names: { besideKey: 25, upTo: [41, 100], bytes: [50, 100] },
  longGcra: { upTo: [25], bytes: [0] },
  clusterBytes: 20,
  states: {
    gcra: { units: [1], bytes: [100] },
    uniform: { units: [1], bytes: [100] },
    fixedWindow: { units: [1], bytes: [100] },
    slidingWindowCounter: { units: [1], bytes: [100] },
    tokenBucket: { units: [1], bytes: [100] },
    slidingWindowLog: { units: [1, 11, 21], bytes: [100, 200, 400] },
    multiWindow: { units: [1, 11], bytes: [100, 200] },
    'gcra with unit': { units: [1], bytes: [130] },
    fairShare: { units: [1, 11], bytes: [200, 400] },
  },
  calls: {
    gcra: call,
    'gcra with unit': { ...call, question: 230 },
    'slidingWindowLog with maxDebt': { ...call, question: 260 },
    fairShare: call,
    slidingWindowLog: {
      ...call,
      answer: 130,
      withGcra: { ...withGcra, answer: 230 },
      withUniform: { ...withGcra, answer: 230 },
      sizes: [1, 11],
      cpuUs: [spread(30), spread(50)],
    },
  },
  several: [
    { count: 3, question: 500, answer: 250, replica: 120, cpuUs: spread(45) },
    { count: 10, question: 1200, answer: 600, replica: 330, cpuUs: spread(115) },
  ],
  severalInGeneral: [
    { count: 3, question: 500, answer: 250, replica: 120 },
    { count: 10, question: 1200, answer: 600, replica: 330 },
  ],
}

const planned = (flags: Parameters<typeof given>[0]) => planOf(given(flags), round)

describe('the keys of a policy', () => {
  // biome-ignore format: a table
  it.each([
    // policy                          rate     keys of 1,000 users   life of one admission in s
    ['gcra:100/1h',                    '1/h',      10,                 36],
    ['tokenBucket:100/1h,capacity=50', '1/h',      10,                 36],
    ['uniform:1m',                     '1/h',      1000 / 60,          60],
    ['fixedWindow:100/1m',             '1/h',      1000 / 60,          60],
    ['slidingWindowLog:100/1m',        '1/h',      1000 / 60,          60],
    ['slidingWindowCounter:100/1m',    '1/h',      1000 / 30,         120],
    ['multiWindow:10/1s,100/10s',      '1/h',      1000 * 10.1 / 3600, 10.1],
    ['gcra:100/1h',                    '1/s',    1000,                 36],
  ])('%s at %s: as many as admissions live at a time, at most one a user', (policy, rate, keys, life) => {
    const [found] = planned({ policy: [policy], rate }).region.keys
    expect(found?.count).toBeCloseTo(keys, 6)
    expect(found?.lifeSeconds).toBeCloseTo(life, 6)
  })

  // biome-ignore format: a table
  it.each([
    // rate     full    keys    admissions in each   bytes: 50 for the name, and the state
    ['1/m',     false,    1000,   1,                   50 + 100],
    ['11/m',    false,    1000,  11,                   50 + 200],
    ['6/m',     false,    1000,   6,                   50 + 150],
    ['50/m',    false,    1000,  31,                   50 + 600],
    ['30/h',    false,     500,   1,                   50 + 100],
    ['30/h',    true,     1000,  31,                   50 + 600],
  ])('of a log at %s, full: %s', (rate, full, count, units, bytes) => {
    const flags = { policy: ['slidingWindowLog:31/1m'], rate, ...(full && { full: true as const }) }
    const [found] = planned(flags).region.keys
    expect(found?.count).toBeCloseTo(count, 6)
    expect(found?.units).toBeCloseTo(units, 6)
    expect(found?.bytes).toBeCloseTo(bytes, 6)
  })

  it('of multiWindow hold a slot for each admission, as many as there are', () => {
    const [found] = planned({ policy: ['multiWindow:10/1s,100/10s'], rate: '100/s' }).region.keys
    expect(found).toMatchObject({ unit: 'slots', mostUnits: 101, units: 101 })
  })

  // biome-ignore format: a table
  it.each([
    // of 1,000 users                                     keys   clients in each   bytes: 50 for the name, and the state
    [{ rate: '1/s', clients: '11' },                        1000 / 11, 11,           50 + 400],
    [{ rate: '1/s', clients: '2000' },                      1,         101,          50 + 200 + 100 * 20],
    [{ rate: '1/s', clients: '11', keyLength: '15' },       1000 / 11, 11,           50 + 400 - 11],
    // A window of 1 s and the next: ten calls in 2 s are of ten keys.
    [{ rate: '18/h', clients: '11' },                       10,        1,            50 + 200],
    [{ rate: '18/h', clients: '11', full: true as const },  1000 / 11, 11,           50 + 400],
  ])('of fairShare are what users share: %j', (flags, count, units, bytes) => {
    const [found] = planned({ policy: ['fairShare:100/1s'], ...flags }).region.keys
    expect(found?.count).toBeCloseTo(count, 6)
    expect(found?.units).toBeCloseTo(units, 6)
    expect(found?.bytes).toBeCloseTo(bytes, 6)
  })

  it('of fewer clients than it has seats for all others together', () => {
    const policy = ['{"strategy":"fairShare","limit":100,"window":"1s","maxClients":10}']
    const [found] = planned({ policy, rate: '1/s', clients: '50' }).region.keys
    expect(found).toMatchObject({ unit: 'clients', mostUnits: 11, units: 11, bytes: 50 + 400 })
  })

  it('with digits behind the point, or whose callers wait, are those that were measured so', () => {
    const keysOf = (policy: string, rate: string) => planned({ policy: [policy], rate }).region.keys[0]
    expect(keysOf('gcra:100/1h,unit=0.01', '1/h')).toMatchObject({ lifeSeconds: 36, stateBytes: 130 })
    // Stored as without it.
    expect(keysOf('slidingWindowLog:31/1m,maxDebt=1m', '11/m')).toMatchObject({ units: 11, stateBytes: 200 })
  })

  it('with a longer name take more', () => {
    expect(planned({ keyLength: '17' }).region.keys[0]?.nameBytes).toBe(100)
  })
})

describe('a request', () => {
  it('of one policy costs what was measured of it', () => {
    const { request } = planned({ policy: ['slidingWindowLog:100/1m'], rate: '11/m' })
    expect(request).toMatchObject({ us: { base: 0, sum: 50 }, question: { sum: 200 }, answer: { sum: 130 } })
  })

  it('of several costs a call, and what each adds', () => {
    const { request } = planned({
      policy: ['gcra:100/1h', 'slidingWindowLog:100/1m'],
      rate: '1/m',
      keyLength: '26',
    })
    // 7 more policies take 70 µs more, so a call of 3 leaves 45 - 30 for the call; the log takes 10 more than gcra alone.
    expect(request.us).toEqual({ base: 15, added: [10, 20], sum: 45 })
    expect(request.question).toEqual({ base: 200, added: [110, 110], sum: 420 })
    expect(request.answer).toEqual({ base: 100, added: [50, 80], sum: 230 })
    expect(request.replica).toEqual({ base: 30, added: [40, 40], sum: 110 })
  })

  it('of a policy with digits behind the point, or whose callers wait, costs what was measured of that', () => {
    const question = (policy: string) => planned({ policy: [policy] }).request.question.sum
    expect(question('gcra:100/1h,unit=0.01')).toBe(230)
    expect(question('slidingWindowLog:100/1h,maxDebt=1m')).toBe(260)
  })

  it('of a shared key says the name of the client too', () => {
    const { request } = planned({ policy: ['fairShare:100/1s'], keyLength: '26' })
    expect(request.question.sum).toBe(200 + 2 * 10)
  })

  it('costs what the user has measured', () => {
    expect(planned({ serverUs: '7' }).request.us.sum).toBe(7)
  })
})

describe('shards', () => {
  // biome-ignore format: a table
  it.each([
    // keys          slots, times 24 bytes
    [1,              4],
    [5,              8],
    [1024,        1024],
    [1025,        2048],
  ])('%d keys are in tables of %d slots, while these double', (keys, slots) => {
    expect(tableBytes(keys)).toBe(24 * slots)
  })

  const busy = { users: '1000000', rate: '1/s', policy: ['gcra:100/1h'], headroom: '0%' }
  // biome-ignore format: a table
  it.each([
    // flags                                              memory  operations  network   all
    [{ shardMemory: '1TB', shardOps: '1e9' },               1,       1,          null,    1],
    // 1,000,000 keys of 150 bytes and 2^20 slots of 24 are 175 MB.
    [{ shardMemory: '176MB', shardOps: '1e9' },             1,       1,          null,    1],
    // In a cluster a key takes 170: 170 MB / 2 + 2^19 slots are 98 MB.
    [{ shardMemory: '175MB', shardOps: '1e9' },             2,       1,          null,    2],
    [{ shardMemory: '97MB', shardOps: '1e9' },              3,       1,          null,    3],
    // 1,000,000 requests a second of 20 µs.
    [{ shardMemory: '1TB' },                                1,      20,          null,   20],
    [{ shardMemory: '1TB', headroom: '50%' },               1,      40,          null,   40],
    [{ shardMemory: '1TB', shardOps: '60000' },             1,      17,          null,   17],
    [{ shardMemory: '1TB', serverUs: '1' },                 1,       1,          null,    1],
    // 300 bytes each, and 50 more for a replica: 350 MB a second are 2.8 Gbit.
    [{ shardMemory: '1TB', serverUs: '1', shardNetwork: '1Gbit' },                 1, 1, 3, 3],
    [{ shardMemory: '1TB', serverUs: '1', shardNetwork: '1Gbit', replicas: '4' },  1, 1, 4, 4],
  ])('%j', (flags, memory, operations, network, shards) => {
    const { region } = planned({ ...busy, ...flags })
    expect({ ...region.shardsFor, shards: region.shards }).toEqual({ memory, operations, network, shards })
  })

  it('are those of every region, with all copies, and cost what was given', () => {
    const plan = planned({
      ...busy,
      regions: '4',
      replicas: '2',
      shardMemory: '10GB',
      price: ['0.5/node-hour', '0.1/GB-hour'],
    })
    // 250,000 a second of 20 µs are 5 cores in each region.
    expect(plan).toMatchObject({
      shards: 20,
      nodes: 60,
      provisionedBytes: 600e9,
      costPerHour: 60 * 0.5 + 600 * 0.1,
    })
  })

  it('have no cost without a price', () => {
    expect(planned(busy).costPerHour).toBeNull()
    expect(reportOf(given(busy), planned(busy), { figures: round, width: null })).not.toContain('cost')
  })
})

it.each([40, 60, 80, 120])(
  'no line of a report is longer than %d columns, and the arithmetic stays',
  (width) => {
    const settings = given({ regions: '3', replicas: '1', policy: ['slidingWindowLog:100/1h', 'gcra:10/1s'] })
    const report = reportOf(settings, planOf(settings, round), { figures: round, width })
    for (const line of report.split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(width)
    expect(report.replace(/\s+/g, ' ')).toContain('1,000 users × 100 %')
  },
)
