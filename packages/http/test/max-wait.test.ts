import { EventEmitter } from 'node:events'
import { describe, expect, it } from '@jest/globals'
import { memoryStore, uniform } from '@sluice/core'
import { manualClock } from '@sluice/testing'
import { createGate } from '../src/gate.ts'
import { handleRequest } from '../src/handle.ts'
import { checkMaxWait, waitOf } from '../src/max-wait.ts'
import { RequestState } from '../src/request-state.ts'
import type { GateLimiter } from '../src/subject.ts'
import { exchangeOf } from './exchange.ts'

/** As much of a response as shows whether its client is still there. */
function response(facts: object) {
  return Object.assign(new EventEmitter(), { destroyed: false, writableEnded: false }, facts)
}

function clientOf(raw: ReturnType<typeof response>): RequestState {
  const client = new RequestState({})
  client.response = raw
  return client
}

describe('the patience of a request', () => {
  it.each<[string, object]>([
    ['whose connection is gone', { destroyed: true }],
    ['whose HTTP/2 stream is gone', { stream: { destroyed: true } }],
  ])('%s is over at once', (_title, facts) => {
    expect(waitOf(clientOf(response(facts)), 1000).signal.aborted).toBe(true)
  })

  it('is over when its client goes', () => {
    const raw = response({ stream: { destroyed: false } })
    const { signal } = waitOf(clientOf(raw), 1000)
    expect(signal.aborted).toBe(false)
    raw.emit('close')
    expect(signal.aborted).toBe(true)
  })
})

describe('maxWait', () => {
  const unable = { name: 'mine', check: () => Promise.reject(new Error('is not asked')) }

  it('is an error where what decides can make nobody wait', () => {
    expect(() => checkMaxWait(unable, 5_000_000)).toThrow(
      'maxWait: expected nothing here, as this limiter cannot make a request wait, got 5000',
    )
  })

  it.each([
    ['half a minute is as long as proxies wait', 30_000, []],
    ['of any longer time it is warned', 30_001, ['SLUICE_LONG_WAIT']],
  ])('%s', (_what, ms, codes) => {
    const warnings: string[] = []
    const decider: Pick<GateLimiter, 'name' | 'check' | 'delay' | 'warned'> = {
      ...unable,
      delay: unable.check,
      warned: ({ code }) => warnings.push(code),
    }
    checkMaxWait(decider, ms * 1000)
    expect(warnings).toEqual(codes)
  })
})

describe('a request that waits', () => {
  const boom = new Error('of the key function')

  /** A gate whose next request waits. */
  async function waiting(key: () => string = () => 'bob') {
    const store = memoryStore({ clock: manualClock() })
    const policy = uniform({ interval: '10s' })
    const gate = createGate<object>({ name: 'waits', store, policy, key, maxWait: '1m' })
    await gate.limiter.check('bob' as never) // its only policy has this key
    return gate
  }

  it('is over when its client goes: no route runs, and nothing is thrown', async () => {
    const gate = await waiting()
    const exchange = exchangeOf()
    const outcome = Promise.resolve(handleRequest(gate, exchange))
    for (let turn = 0; turn < 20; turn++) await undefined
    exchange.raw.destroy()
    exchange.raw.emit('close')
    expect((await outcome).refusal?.status).toBe(499)
  })

  it('gets no answer when the limiter is closed meanwhile', async () => {
    const gate = await waiting()
    const outcome = Promise.resolve(handleRequest(gate, exchangeOf()))
    for (let turn = 0; turn < 20; turn++) await undefined
    await gate.limiter.close?.()
    expect((await outcome).refusal?.status).toBe(503)
  })

  it.each([
    ['has the errors of the user’s own functions', boom],
    ['has what they throw without an error, and is not taken for one whose client has gone', undefined],
  ])('%s', async (_what, thrown) => {
    const gate = await waiting(() => {
      throw thrown
    })
    await expect(async () => handleRequest(gate, exchangeOf())).rejects.toBe(thrown)
  })
})
