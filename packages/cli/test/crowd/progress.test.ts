import { Writable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals'
import { progressOn } from '../../src/crowd/progress.ts'
import { Tally } from '../../src/crowd/tally.ts'
import type { TestResult } from '../../src/crowd/test-result.ts'

beforeEach(() => {
  jest.useFakeTimers()
})
afterEach(() => {
  jest.useRealTimers()
})

class Screen extends Writable {
  text = ''
  readonly isTTY: boolean
  readonly columns = 120

  constructor(isTTY: boolean) {
    super()
    this.isTTY = isTTY
  }

  override _write(chunk: unknown, _encoding: string, done: () => void): void {
    this.text += String(chunk)
    done()
  }
}

const result: TestResult = {
  name: 'log',
  about: 'sliding window log',
  rule: '300 in 10 s',
  bound: 300,
  offered: 2000,
  admitted: 900,
  refused: 1087,
  failed: 13,
  reasons: { ECONNRESET: 12, 'status 500': 1 },
  unsent: 5,
  peakPerSecond: 100,
  mostInWindow: 300,
  clients: 580,
  fairness: 0.5,
  inWindow: { stepMs: 1, values: [] },
}
const line =
  '1/2 log: 2,000 offered, 900 admitted, 1,087 refused, at most 300 of 300 in any 10 s, 13 failed (ECONNRESET 12, status 500 1), 5 not sent\n'

function shown(isTTY: boolean): string {
  const screen = new Screen(isTTY)
  const progress = progressOn(screen, { tests: 2, seconds: 22 })
  const tally = new Tally()
  tally.add('ann', { kind: 'refused' }, 0)
  progress.begin('log', { elapsedMs: () => 3456, tally })
  jest.advanceTimersByTime(1000)
  progress.end(result)
  return screen.text
}

it('is a bar on a terminal, and a line once the test has ended', () => {
  const text = shown(true)
  expect(text).toContain('\u001B')
  const plain = stripVTControlCharacters(text)
  expect(plain).toMatch(/1\/2 log [█░]{20} 0 of 22 s, 0 admitted, 1 refused/)
  expect(plain).toMatch(/1\/2 log [█░]{20} 3 of 22 s, 0 admitted, 1 refused/)
  expect(plain.endsWith(line)).toBe(true)
})

it('is that line alone in a pipe', () => {
  expect(shown(false)).toBe(line)
})
