import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { RestFront } from '@sluice/faults'
import { socket } from '@sluice/faults/redis-socket'
import { serveWorker } from '@sluice/runtimes'
import { type WorkersOfPage, workersOfPage } from '../../src/workers-page.ts'

let page: WorkersOfPage
beforeAll(async () => {
  page = await workersOfPage()
})
afterAll(() => page?.remove())

describe.each(['wrangler', 'esbuild'] as const)('docs/workers.md, bundled by %s', (tool) => {
  it('Hono, with Redis over REST: the fields, then a refusal, for each client', async () => {
    const front = new RestFront(socket)
    await front.start()
    const env = { UPSTASH_REDIS_REST_URL: front.url, UPSTASH_REDIS_REST_TOKEN: front.token }
    const worker = await serveWorker(await page.bundled(tool, 'src/index.ts'), { env })
    const send = (address: string) => fetch(worker.url, { headers: { 'CF-Connecting-IP': address } })
    try {
      const first = await send(`192.0.2.${tool.length}`)
      expect([first.status, await first.text()]).toEqual([200, 'hello'])
      expect(first.headers.get('x-ratelimit-remaining')).toBe('99')
      let last: Response
      do last = await send(`192.0.2.${tool.length}`)
      while (last.ok)
      expect([last.status, last.headers.get('x-ratelimit-remaining')]).toEqual([429, '0'])
      expect((await send('198.51.100.1')).status).toBe(200)
      expect(front.calls.length).toBeGreaterThan(100)
    } finally {
      await worker.close()
      await front.end()
    }
  })

  it('a Durable Object: exactly the limit for each client, of any number at once', async () => {
    const module = await page.bundled(tool, 'src/counted.ts')
    const worker = await serveWorker(module, { objects: { LIMITS: 'Limits' } })
    const send = (address: string) => fetch(worker.url, { headers: { 'CF-Connecting-IP': address } })
    try {
      const answers = await Promise.all(Array.from({ length: 130 }, () => send('192.0.2.1')))
      const left = answers
        .filter(({ ok }) => ok)
        .map((each) => Number(each.headers.get('x-ratelimit-remaining')))
      expect(left.sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, i) => i))
      const refused = answers.find(({ status }) => status === 429)
      expect(refused?.headers.get('content-type')).toBe('application/problem+json')
      expect(refused?.headers.get('retry-after')).toMatch(/^\d+$/)
      expect(await refused?.json()).toMatchObject({ status: 429 })
      const other = await send('2001:db8::1')
      expect([other.status, await other.text()]).toEqual([200, 'hello'])
      expect(worker.output()).toBe('')
    } finally {
      await worker.close()
    }
  })
})
