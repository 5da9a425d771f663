import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, it } from '@jest/globals'
import { sampleLog } from '../../../sample/sample-log.ts'

const file = path.resolve(__dirname, '../../../sample/access.log.gz')

/** Not the file's own bytes: how zlib packs them differs between versions and processors. */
const text = gunzipSync(readFileSync(file)).toString()

it('is the sample log that its generator makes, byte for byte', () => {
  expect(text === sampleLog()).toBe(true)
})

it('is small', () => {
  expect(statSync(file).size).toBeLessThan(300_000)
})

// biome-ignore format: a table
it.each([
  // what                   in the line               at least  at most
  ['a scraper',             /^203\.0\.113\.66 /,      2200,     2600],
  ['a login attack',        / "POST \/api\/login /,   1250,     1650],
  ['a partner',             / - warehouse \[/,         480,      480],
  ['IPv6',                  /^2001:db8:/,             1000,     3000],
  ['lines of no request',   /^(?!\S+ - \S+ \[\S+ \S+\] "[^"]+" \d+ \d+ "-" "[^"]+"$)/, 3, 3],
])('describes %s', (_what, pattern, least, most) => {
  const found = text.trimEnd().split('\n').filter((line) => pattern.test(line)).length
  expect(found).toBeGreaterThanOrEqual(least)
  expect(found).toBeLessThanOrEqual(most)
})

it('stands in the order of ends, so that some lines come late', () => {
  const minutes = [...text.matchAll(/\[10\/Mar\/2026:13:(\d\d):(\d\d) \+0000\]/g)]
  const seconds = minutes.map(([, minute, second]) => Number(minute) * 60 + Number(second))
  const latest = seconds.map((_, i) => Math.max(...seconds.slice(Math.max(0, i - 200), i + 1)))
  const late = seconds.map((at, i) => (latest[i] ?? 0) - at)
  expect(Math.max(...late)).toBe(3)
})
