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
