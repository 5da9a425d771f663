import { expect, it } from '@jest/globals'
import type { RunningProcess } from '@sluice/operations'
import { topLines } from '../../src/live/top-lines.ts'

type Keys = Readonly<Record<string, number>>

function processOf(id: string, keys: Keys): RunningProcess {
  const top = Object.entries(keys).map(([key, refused]) => ({ key, refused }))
  const policies = [{ limiter: 'login', policy: 'default', admitted: 5, refused: 50, top, near: [] }]
  const seen = { atMs: 1, overMs: 5000, policies, cut: 0, away: [] }
  return { id, service: 'shop', pid: 7, startedMs: 1, limiters: [], cut: 0, seen }
}

function refusedMost(...processes: readonly RunningProcess[]): readonly string[] {
  const lines = topLines(processes, [], 80)
  const from = lines.findIndex((line) => line.startsWith('REFUSED MOST'))
  return lines.slice(from + 1).map((line) => line.trim().replace(/ +/g, ' '))
}

it('a flood of one network is one line, over all processes', () => {
  const one = processOf('1', { '203.0.113.7': 10, '203.0.113.8': 11, '198.51.100.1': 20, alice: 9 })
  const two = processOf('2', {
    '203.0.113.9': 12,
    '2001:db8:7:1::/64': 5,
    '2001:db8:7:2::/64': 6,
    '2001:db8:7:3::/64': 7,
  })
  expect(refusedMost(one, two)).toEqual([
    '203.0.113.0/24 (3 keys) login.default 33',
    '198.51.100.1 login.default 20',
    '2001:db8:7::/48 (3 keys) login.default 18',
    'alice login.default 9',
  ])
})

it('two keys of a network stand for themselves', () => {
  expect(refusedMost(processOf('1', { '203.0.113.7': 10, '203.0.113.8': 11 }))).toEqual([
    '203.0.113.8 login.default 11',
    '203.0.113.7 login.default 10',
  ])
})

it('admissions and refusals are those of a second, of all processes together', () => {
  const lines = topLines([processOf('1', {}), processOf('2', {})], [], 80)
  expect(lines.find((line) => line.startsWith('login'))).toMatch(/^login\.default +2\.0 +20\.0$/)
})

it('shows each rule of a policy where an old process still has another', () => {
  const limiter = {
    name: 'login',
    store: 'redis',
    prefix: '',
    networkBits: null,
    listed: false,
    ownLists: false,
  }
  const policy = { name: 'default', tag: null, shadow: false, strategy: 'gcra', data: null }
  const having = (id: string, rule: string) => ({
    ...processOf(id, {}),
    limiters: [{ ...limiter, policies: [{ ...policy, rule }] }],
  })
  const lines = topLines([having('1', '3/min'), having('2', '100/min'), having('3', '100/min')], [], 80)
  expect(lines.find((line) => line.startsWith('login'))).toMatch(/^login +3\/min or 100\/min +/)
})

it('a key that is near its limit in several processes is shown as in that where it is nearest', () => {
  const near = (used: number) => {
    const { seen, ...about } = processOf(String(used), {})
    const policies = (seen?.policies ?? []).map((each) => ({
      ...each,
      near: [{ key: 'bob', used, limit: 10 }],
    }))
    return { ...about, seen: seen && { ...seen, policies } }
  }
  const lines = topLines([near(9), near(5)], [], 80)
  expect(lines.filter((line) => line.startsWith('bob'))).toEqual([
    expect.stringMatching(/^bob +login\.default +9 +10$/),
  ])
})

it('amounts of fractions are said to their smallest unit', () => {
  const { seen, ...about } = processOf('1', {})
  const near = [{ key: 'bob', used: 0.5 - 0.4, limit: 0.5 }] // 0.09999999999999998
  const policies = (seen?.policies ?? []).map((policy) => ({ ...policy, near }))
  const lines = topLines([{ ...about, seen: { atMs: 1, overMs: 5000, cut: 0, away: [], policies } }], [], 80)
  expect(lines.at(-1)?.trim().replace(/ +/g, ' ')).toBe('bob login.default 0.1 0.5')
})
