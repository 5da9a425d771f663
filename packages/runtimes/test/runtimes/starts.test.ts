import { expect, it } from '@jest/globals'
import { startBun, startDeno, startWorkerd } from '../../src/server.ts'
import { startsOf } from '../../src/starts.ts'

// biome-ignore format: a table
const starts = [
  ['Bun',                startBun],
  ['Deno',               startDeno],
  ['Cloudflare Workers', startWorkerd],
] as const

it.each(starts)('docs/fetch.md: the start on %s serves, with the fields', async (heading, start) => {
  // It listens on a free port here.
  const text = startsOf(heading)[0].replace('port: 3000', "port: 0, hostname: '127.0.0.1'")
  const server = await start({ text })
  try {
    const response = await fetch(`http://127.0.0.1:${server.port}/`)
    expect([response.status, await response.text()]).toEqual([200, 'hello'])
    expect(response.headers.get('x-ratelimit-remaining')).toBe('99')
  } finally {
    await server.stop()
  }
})
