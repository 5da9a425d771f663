import { Agent, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from '@jest/globals'
import { fixedWindow } from '@sluice/core'
import Fastify from 'fastify'
import { rateLimit } from '../src/index.ts'

/** Answers the status, or where there was none the error's code. */
function get(port: number, agent: Agent): Promise<string> {
  return new Promise((resolve) => {
    const request = send({ port, host: '127.0.0.1', agent }, (response) => {
      response.resume().on('error', () => resolve('cut'))
      response.on('end', () => resolve(String(response.statusCode)))
    })
    request.on('error', (error: NodeJS.ErrnoException) => resolve(String(error.code))).end()
  })
}

it('whoever was let in is answered when the app ends; whom Fastify turns away itself is not counted', async () => {
  const app = Fastify()
  let counted = 0
  const decided = () => void counted++
  await app.register(rateLimit, {
    policy: fixedWindow({ limit: 1_000_000, window: '1h' }),
    observers: [{ decided }],
  })
  let handled = 0
  app.get('/', async () => {
    handled++
    await new Promise((resolve) => setImmediate(resolve))
    return 'ok'
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })

  const seen: string[] = []
  let closed: Promise<void> | undefined
  const caller = async () => {
    while (seen.at(-1) !== 'ECONNREFUSED') {
      seen.push(await get(port, agent))
      if (seen.length === 1000) closed = app.close()
    }
  }
  await Promise.all(Array.from({ length: 64 }, caller))
  await closed
  agent.destroy()
  const answered = seen.filter((outcome) => outcome === '200').length
  expect(answered).toBeGreaterThanOrEqual(900)
  expect([handled, counted]).toEqual([answered, answered])
  expect(seen.filter((outcome) => outcome === 'cut')).toEqual([])
})
