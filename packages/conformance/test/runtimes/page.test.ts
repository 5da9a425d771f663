import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { RestFront } from '@sluice/faults'
import { socket } from '@sluice/faults/redis-socket'
import { bundleForWorkers, bunProgram, denoProgram, serveWorker } from '@sluice/runtimes'
import { blocksOf, page, root } from '../docs/pages.ts'

// Below a package that depends on what the blocks import.
const home = path.join(root, 'examples/zoo/.docs')

let folder = ''
beforeAll(() => {
  mkdirSync(home, { recursive: true })
  folder = mkdtempSync(path.join(home, 'runtimes-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The only block of docs/runtimes.md with these words in it, as a file. */
function fileWith(words: string): string {
  const [block, second] = blocksOf(page('docs/runtimes.md')).filter(({ code }) => code.includes(words))
  if (block === undefined || second !== undefined) throw new Error(`docs/runtimes.md has one block: ${words}`)
  const file = path.join(folder, `line-${block.line}.ts`)
  writeFileSync(file, block.code)
  return file
}

/** What the log says where a busy machine keeps an answer for longer than the deadline: no fault of the page. */
const late =
  /^\[sluice\] the store redis (?:failed: no answer within 100 ms|answered after the deadline; .*|answers again.*)\n/gm

it('the worker of docs/runtimes.md limits in workerd', async () => {
  const front = new RestFront(socket)
  await front.start()
  const worker = await serveWorker(await bundleForWorkers(fileWith('export default {')), {
    env: { UPSTASH_REDIS_REST_URL: front.url, UPSTASH_REDIS_REST_TOKEN: front.token },
  })
  const statuses: number[] = []
  for (let i = 0; i < 140; i++) {
    const { status } = await fetch(worker.url, { headers: { 'cf-connecting-ip': '203.0.113.7' } })
    statuses.push(status)
  }
  // A hundred at once, and another each 600 ms.
  expect(statuses.slice(0, 100)).toEqual(Array.from({ length: 100 }, () => 200))
  expect(statuses).toContain(429)
  expect(front.calls.length).toBeGreaterThan(100)
  expect(worker.output().replace(late, '')).toBe('')
  await worker.close()
  await front.end()
})

it.each([
  ['Bun', () => [bunProgram(), 'run', '--conditions=sluice-source']],
  ['Deno', () => [denoProgram(), 'run', '--no-lock', '--conditions', 'sluice-source']],
] as const)('the program of docs/runtimes.md prints the same in %s', (_runtime, command) => {
  const [file, ...flags] = command()
  expect(execFileSync(file ?? '', [...flags, fileWith('console.log((await')], { encoding: 'utf8' })).toBe(
    'true\nfalse\n',
  )
})
