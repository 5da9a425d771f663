import { AsyncLocalStorage } from 'node:async_hooks'
import { PassThrough } from 'node:stream'
import { expect } from '@jest/globals'
import { fixedWindow } from '@sluice/core'
import { aborted, closeOf, readAddress } from './aborting.ts'
import type { Scenario } from './scenario.ts'
import type { Handler, Options } from './site.ts'
import { type PolicyOptions, rowOf, signal, type World, xRemaining } from './world.ts'

const tenIn10s = fixedWindow({ limit: 10, window: '10s' })

/** A limiter that notes how responses ended, and gives back what succeeded. */
function settler(world: World, more: Parameters<World['tickets']>[0] = {}) {
  const settled: { status: number; aborted: boolean }[] = []
  let ending = signal<{ status: number; aborted: boolean }>()
  const settle: Options['settle'] = (_, response) => {
    settled.push(response)
    ending.done(response)
    return response.status < 400 && !response.aborted ? 0 : undefined
  }
  const options = world.tickets({ policy: tenIn10s, settle, ...more })
  /** The next ending that is settled. */
  const next = () => {
    ending = signal()
    return ending.promise
  }
  return { options, settled, next }
}

/** The true cost, settled when a response is over. */
export const settling: readonly Scenario[] = [
  {
    title: '42: settle gives back what succeeded and keeps what failed',
    async run(world) {
      const { options, settled, next } = settler(world)
      let status = 200
      const client = await world.open({
        limits: [options],
        routes: [{ handler: ({ send }) => send(status, 'done') }],
      })
      // biome-ignore format: a table
      const rows = [
        // status  remaining that it states
        [200,      '9'],
        [200,      '9'],
        [500,      '9'],
        [404,      '8'],
        [204,      '7'],
        [200,      '7'],
      ] as const
      for (const [answered, remaining] of rows) {
        status = answered
        const ended = next()
        expect((await client.send()).headers[xRemaining]).toBe(remaining)
        expect(await ended).toEqual({ status: answered, aborted: false })
      }
      expect(settled).toHaveLength(6)
    },
  },
  {
    title: '42: settle of a handler that throws: the status that the client saw',
    async run(world) {
      const { options, next } = settler(world)
      const handler: Handler = () => {
        throw new Error('broken')
      }
      const client = await world.open({ limits: [options], routes: [{ handler }] })
      const ended = next()
      expect((await client.send()).status).toBe(500)
      expect(await ended).toEqual({ status: 500, aborted: false })
    },
  },
  {
    title: '42: settle is called for an abort after admission',
    async run(world) {
      const { options, next } = settler(world)
      const reached = signal()
      const handler: Handler = async (exchange) => {
        reached.done()
        await closeOf(exchange)
      }
      const client = await world.open({ limits: [options], routes: [{ handler }] })
      const ended = next()
      aborted(client, reached.promise)
      expect(await ended).toMatchObject({ aborted: true })
    },
  },
  {
    title: '42: settle gets the status of an answer whose client goes in the middle',
    async run(world) {
      const { options, next } = settler(world)
      const body = new PassThrough()
      world.later(() => body.destroy())
      const handler: Handler = ({ send }) => {
        body.write('the first half')
        send(206, body)
      }
      const client = await world.open({ limits: [options], routes: [{ handler }] })
      const ended = next()
      const request = client.open({ alone: true })
      request.on('error', () => {})
      request.on('response', (response) => {
        response.on('error', () => {})
        response.once('data', () => request.destroy())
      })
      expect(await ended).toEqual({ status: 206, aborted: true })
    },
  },
  {
    title: '42: settle is called for an abort before the decision',
    async run(world) {
      const { options, next } = settler(world)
      const reached = signal()
      const client = await world.limited(options, {
        first: async (exchange) => {
          readAddress(exchange)
          reached.done()
          await closeOf(exchange)
        },
      })
      const ended = next()
      aborted(client, reached.promise)
      expect(await ended).toMatchObject({ aborted: true })
      world.takeWarnings()
    },
  },
  {
    title: 'settle runs in the async context of its request, whether that was answered or its client hung up',
    async run(world) {
      const requests = new AsyncLocalStorage<string>()
      let nth = 0
      let seen = signal<unknown>()
      const key: PolicyOptions['key'] = () => {
        requests.enterWith(`request ${++nth}`)
        return 'bob'
      }
      const settle: Options['settle'] = () => {
        seen.done(requests.getStore())
        return 0
      }
      const reached = signal()
      const left: Handler = async (exchange) => {
        reached.done()
        await closeOf(exchange)
      }
      const client = await world.open({
        limits: [world.tickets({ key, settle })],
        routes: [{}, { path: '/left', handler: left }],
      })
      for (const asked of ['request 1', 'request 2']) {
        seen = signal()
        await client.send()
        expect(await seen.promise).toBe(asked)
      }
      seen = signal()
      aborted(client, reached.promise, '/left')
      expect(await seen.promise).toBe('request 3')
    },
  },
  {
    title: '42: settle to the true cost, also a higher one; a refused request is not settled',
    async run(world) {
      const endings: number[] = []
      const settled = signal()
      const settle: Options['settle'] = (_, { status }) => {
        endings.push(status)
        settled.done()
        return 7
      }
      const client = await world.limited(world.tickets({ policy: tenIn10s, settle }))
      expect(rowOf(await client.send())[2]).toBe('9')
      await settled.promise
      await new Promise((resolve) => setImmediate(resolve))
      expect(rowOf(await client.send())[2]).toBe('2')
      await client.crowd(3)
      expect(endings).not.toContain(429)
    },
  },
  {
    title: '43: settled after the window has ended: nothing is given into the next',
    async run(world) {
      const plain = world.tickets({ policy: tenIn10s })
      const reached = signal()
      const release = signal()
      const slow: Handler = async ({ send }) => {
        reached.done()
        await release.promise
        send(200, 'ok')
      }
      const late = settler(world)
      const client = await world.open({
        routes: [{ path: '/slow', limits: [late.options], handler: slow }, { limits: [plain] }],
      })
      const held = client.send({ path: '/slow' })
      await reached.promise
      await world.clock.advance('10s')
      expect(rowOf(await client.send())[2]).toBe('9')
      const ended = late.next()
      release.done()
      await held
      await ended
      await new Promise((resolve) => setImmediate(resolve))
      expect(rowOf(await client.send())[2]).toBe('8')
    },
  },
  {
    title: 'a settle that throws or rejects: the charge stays, one warning',
    async run(world) {
      const fail = () => {
        throw new Error('no price')
      }
      for (const settle of [fail, async () => fail()]) {
        const client = await world.limited(world.tickets({ name: `settle ${settle === fail}`, settle }))
        const replies = [await client.send(), await client.send(), await client.send()]
        expect(replies.map(({ status }) => status)).toEqual([200, 200, 429])
        await new Promise((resolve) => setImmediate(resolve))
        expect(world.takeWarnings()).toEqual(['SLUICE_SETTLE_FAILED'])
      }
    },
  },
]
