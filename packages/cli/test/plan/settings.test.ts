import { describe, expect, it } from '@jest/globals'
import { UsageError } from '../../src/exit-code.ts'
import type { Flags } from '../../src/plan/settings.ts'
import { given } from './given.ts'

function said(flags: Partial<Flags>): string {
  try {
    given(flags)
    return 'fine'
  } catch (error) {
    return error instanceof UsageError ? error.message : String(error)
  }
}

describe('a command line', () => {
  // biome-ignore format: a table
  it.each<[Partial<Flags>, string]>([
    [{},                                    'fine'],
    [{ policy: [] },                        'nothing to plan: give a policy of each user, as in --policy gcra:100/1m'],
    [{ policy: ['uniform:1s', 'uniform:1s'] }, 'each policy may be given only once'],
    [{ policy: ['gcra:5/1m,burst=-1'] },    '--policy gcra:5/1m,burst=-1: burst: expected a whole number from 0 to 263519999, got "-1" (string)'],
    [{ policy: ['fairShare:5/1m'] },        'fine'],
    [{ policy: ['fairShare:5/1m'], clients: '0' }, '--clients 0: clients: expected a whole number from 1 to 1,000,000,000,000, got "0" (string)'],
    [{ policy: ['fixedWindow:5/1m,maxDebt=1m', 'slidingWindowLog:5/1m,maxDebt=1m', 'multiWindow:5/1s,9/1m,maxDebt=1m'] }, 'fine'],
    [{ policy: ['fixedWindow:5/1m,unit=0.01', 'gcra:5/1m,unit=0.1,maxDebt=1m', 'multiWindow:5/1s,9/1m,unit=0.1'] }, 'fine'],
    [{ policy: ['fixedWindow:5/1m,unit=0.1,maxDebt=1m'] }, '--policy fixedWindow:5/1m,unit=0.1,maxDebt=1m: unit: expected to be left out beside maxDebt, as states with both were not measured, got 0.1 (number)'],
    [{ policy: ['slidingWindowLog:5/1m,unit=0.1'] }, '--policy slidingWindowLog:5/1m,unit=0.1: unit: expected to be left out of a log, as each unit is an entry, and many were not measured, got 0.1 (number)'],
    [{ policy: ['gcra:5/1m,maxDebt=1m'] },   'fine'],
    [{ policy: ['concurrency:5'] },         '--policy concurrency:5: strategy: expected a strategy that counts requests (how long they take is not known here), got "concurrency" (string)'],
    [{ users: '1.5' },                      '--users 1.5: users: expected a whole number from 1 to 1,000,000,000,000, got "1.5" (string)'],
    [{ users: 'many' },                     '--users many: users: expected a whole number from 1 to 1,000,000,000,000, got "many" (string)'],
    [{ active: '0%' },                      '--active 0%: active: expected a percentage above 0, at most 100%, such as 10%, got "0%" (string)'],
    [{ active: '0.1' },                     '--active 0.1: active: expected a percentage above 0, at most 100%, such as 10%, got "0.1" (string)'],
    [{ rate: '50' },                        '--rate 50: rate: expected requests per time, such as 50/d, 2/m or 3/10s, got "50" (string)'],
    [{ peak: '0.5' },                       '--peak 0.5: peak: expected at least 1, which is the mean, got "0.5" (string)'],
    [{ keyLength: '201' },                  '--key-length 201: key-length: expected a whole number from 1 to 200, got "201" (string)'],
    [{ regions: '0' },                      '--regions 0: regions: expected a whole number from 1 to 1,000, got "0" (string)'],
    [{ replicas: '-1' },                    '--replicas -1: replicas: expected a whole number from 0 to 10, got "-1" (string)'],
    [{ shardMemory: '16' },                 '--shard-memory 16: shard-memory: expected a size such as 16GB or 16GiB, got "16" (string)'],
    [{ shardOps: '' },                      '--shard-ops : shard-ops: expected a number above 0, such as 60000, got "" (string)'],
    [{ shardNetwork: '10GB' },              '--shard-network 10GB: shard-network: expected bits a second such as 10Gbit, got "10GB" (string)'],
    [{ headroom: '100%' },                  '--headroom 100%: headroom: expected a percentage below 100%, such as 30%, got "100%" (string)'],
    [{ serverUs: '0' },                     '--server-us 0: server-us: expected a number above 0, such as 25, got "0" (string)'],
    [{ price: ['1/hour'] },                 '--price 1/hour: price: expected a price such as 0.5/node-hour or 0.02/GB-hour, got "1/hour" (string)'],
  ])('with %j', (flags, expected) => {
    expect(said(flags)).toBe(expected)
  })

  // biome-ignore format: a table
  it.each([
    // flags                         what is read
    [{ users: '1e9' },               { users: 1_000_000_000 }],
    [{ active: '2.5%' },             { active: 0.025 }],
    [{ rate: '3/10s' },              { rate: { amount: 3, seconds: 10 } }],
    [{ rate: '50/d' },               { rate: { amount: 50, seconds: 86_400 } }],
    [{ shardMemory: '16GB' },        { shardMemory: 16_000_000_000 }],
    [{ shardMemory: '16GiB' },       { shardMemory: 17_179_869_184 }],
    [{ shardNetwork: '10Gbit' },     { shardNetwork: 1_250_000_000 }],
    [{ price: ['0.5/node-hour'] },   { prices: [{ amount: 0.5, per: 'node-hour' }] }],
  ])('%j is read as %j', (flags, read) => {
    expect(given(flags)).toMatchObject(read)
  })
})
