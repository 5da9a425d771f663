import { afterEach, describe, expect, it } from '@jest/globals'
import { freePort, RedisProcess } from '@sluice/faults/outage'
import { createLimiter, fixedWindow, redisStore, type Store } from '../../src/index.ts'

const maxKeys = 1000
const sprayed = 20_000
const atOnce = 100
const two = fixedWindow({ limit: 2, window: '1h' })

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

function limiterOn(url: string) {
  // A refusal that is repeated for a moment would hide what the fallback knows.
  const store = redisStore(url, { maxKeys, refusalCache: 0 })
  cleanups.push(() => store.close())
  const said: string[] = []
  const logger = { warn: (line: string) => said.push(line), error: (line: string) => said.push(line) }
  return { store, said, limiter: createLimiter({ store, policy: two, logger }) }
}

type Limiter = ReturnType<typeof limiterOn>['limiter']

/** Clients that have used up what they had; several, as one may be spared by luck. */
const exhausted = Array.from({ length: 10 }, (_, i) => `mallory ${i}`)

async function askedBy(limiter: Limiter): Promise<readonly (readonly [boolean, string])[]> {
  const decisions = await Promise.all(exhausted.map((key) => limiter.check(key)))
  return decisions.map(({ allowed, source }) => [allowed, source])
}

function refusedBy(source: string): readonly (readonly [boolean, string])[] {
  return exhausted.map(() => [false, source])
}

/** Asks once each for keys of 1 KiB, many at a time; who is exhausted is refused throughout. */
async function spray(limiter: Limiter, store: Store): Promise<void> {
  for (let from = 0; from < sprayed; from += atOnce) {
    const keys = Array.from({ length: atOnce }, (_, i) => String(from + i).padStart(1024, 'x'))
    const decisions = await Promise.all(keys.map((key) => limiter.check(key)))
    expect(decisions.filter(({ allowed, source }) => allowed && source === 'fallback')).toHaveLength(atOnce)
    expect(await askedBy(limiter)).toEqual(refusedBy('fallback'))
    expect(store.health?.().keys).toBeLessThanOrEqual(maxKeys)
  }
}

describe('twenty thousand keys of 1 KiB while Redis is dead', () => {
  it('keep the fallback within its bound, and free no key that was exhausted there', async () => {
    const { limiter, store, said } = limiterOn(`redis://127.0.0.1:${await freePort()}`)
    for (let i = 0; i < 2; i++) await askedBy(limiter)
    expect(await askedBy(limiter)).toEqual(refusedBy('fallback'))
    await spray(limiter, store)
    expect(said.join()).not.toContain('xxx')
  })

  it('free no key that Redis had refused before', async () => {
    const server = await RedisProcess.prepare()
    await server.start()
    cleanups.push(() => server.end())
    const elsewhere = limiterOn(server.url)
    for (let i = 0; i < 2; i++) await askedBy(elsewhere.limiter)
    const { limiter, store } = limiterOn(server.url)
    // Here nothing was admitted: only the refusals are known.
    expect(await askedBy(limiter)).toEqual(refusedBy('redis'))
    await server.kill()
    await spray(limiter, store)
  })
})
