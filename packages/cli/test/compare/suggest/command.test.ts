import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import type { Comparison } from '../../../src/compare/comparison.ts'
import { folderWith, sluice } from '../../sluice.ts'

/** The first quarter of the sample. */
const lines = gunzipSync(readFileSync(path.resolve(__dirname, '../../../sample/access.log.gz')))
  .toString()
  .split('\n')
  .slice(0, 3000)

let folder = ''
beforeAll(() => {
  folder = folderWith({ 'access.log.gz': gzipSync(lines.join('\n')) })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function compared(...args: readonly string[]): Promise<Comparison> {
  const { code, stdout, stderr } = await sluice(folder, 'compare', 'access.log.gz', '--json', ...args)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

it('compares what it suggests, as if it had been named', async () => {
  const { results, suggestions } = await compared('--suggest', '2%')
  const found = suggestions?.found ?? []
  expect(found.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^gcra:\d+\/1m,burst=\d+$/),
    expect.stringMatching(/^slidingWindowLog:\d+\/1m$/),
    expect.stringMatching(/^fixedWindow:\d+\/1m$/),
  ])
  expect((await compared(...found.flatMap(({ text }) => ['--policy', text]))).results).toEqual(results)
  for (const [i, { wellBehaved, others }] of found.entries()) {
    expect(wellBehaved.clients).toBeLessThanOrEqual(0.02 * (suggestions?.wellBehaved.clients ?? 0))
    expect(wellBehaved.clients + others.clients).toBe(results[i]?.clientsRefused)
    expect(wellBehaved.requests + others.requests).toBe(results[i]?.refused)
  }
})

it('prints what to paste', async () => {
  const { code, stdout } = await sluice(
    folder,
    'compare',
    'access.log.gz',
    '--suggest',
    '2%',
    '--policy',
    'fixedWindow:1/10s',
  )
  expect(code).toBe(0)
  expect(stdout).toMatch(
    /^Suggested: \d+ of 89 clients count as well-behaved \(at most \d+ requests in any minute\)/m,
  )
  expect(stdout).toMatch(/^ {2}fixedWindow\(\{ limit: \d+, window: '10s' \}\)$/m)
  expect(stdout).toMatch(/^ {2}\{ strategy: fixedWindow, limit: \d+, window: 10s \}$/m)
})
