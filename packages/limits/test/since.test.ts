import { afterEach, expect, it } from '@jest/globals'
import { memoryStore } from '@sluice/core'
import { manualClock } from '@sluice/testing'
import { type Limits, loadLimits } from '../src/index.ts'

const text = `
schema:
  user:
    children:
      "*":
        limits:
          quota: { strategy: fixedWindow, limit: 100, every: month from 31 09:00, timeZone: Europe/Vienna }
          burst: { strategy: fixedWindow, limit: 10, window: 1m }
  ip:
    children:
      "*": { limits: { strategy: fixedWindow, limit: 2, window: 1h } }
`
const clock = manualClock()
const nowMs = clock.nowUs() / 1000
let limits: Limits | undefined
afterEach(() => limits?.close())

async function load(): Promise<Limits> {
  limits = await loadLimits({ text, store: memoryStore({ clock }) })
  return limits
}

it('windows of the calendar in a file begin where its text says, or since an instant of the call', async () => {
  const { check } = await load()
  const end = async (name: string, since?: string) => {
    const { verdicts } = await check(['user', name], since === undefined ? undefined : { since })
    return new Date(nowMs + (verdicts['user/*/quota']?.resetAfterMs ?? Number.NaN)).toISOString()
  }
  expect(await end('ada')).toBe('2023-11-30T08:00:00.000Z')
  expect(await end('bob', '2023-10-20T09:00:00+02:00')).toBe('2023-11-20T08:00:00.000Z')
})

it('an instant is an error where no limit on the path has windows of the calendar, or where it is none', async () => {
  const { check } = await load()
  await expect(check(['ip', '203.0.113.7'], { since: new Date() })).rejects.toThrow(
    'since: expected to be left out, as no policy here has `every`',
  )
  await expect(check(['user', 'ada'], { since: 'today' })).rejects.toThrow('since: expected a valid Date')
})
