import { expect, it } from '@jest/globals'
import { columns } from '../../src/live/table.ts'

it('a long cell leaves the other rows of its column readable', () => {
  const rows = [
    ['20:35:17 UTC', 'block 1 min', 'k'.repeat(200), 'partner-api', 'alice', 'a scraper, again and again'],
    ['20:35:16 UTC', 'deny 1 d', '203.0.113.9', 'partner-api', 'alice', 'a scraper, again and again'],
  ]
  const lines = columns(['WHEN', 'WHAT', 'KEY', 'LIMITER', 'BY', 'WHY'], rows, 80)
  expect(lines.at(-1)).toContain(' 203.0.113.9 ')
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80)
})

it('cuts between characters, and counts wide ones as two columns', () => {
  const rows = [
    ['山'.repeat(40), 'api'],
    ['𝕏'.repeat(80), 'api'],
    ['bob', 'api'],
  ]
  const [, wide = '', pairs = '', plain = ''] = columns(['KEY', 'LIMITER'], rows, 40)
  expect(wide).toBe(`${'山'.repeat(15)}…  api`)
  expect(pairs).toBe(`${'𝕏'.repeat(30)}…  api`)
  expect(plain).toBe(`bob${' '.repeat(28)}  api`)
})
