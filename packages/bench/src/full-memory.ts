// What a new key costs where memory is full, in microseconds: node packages/bench/dist/full-memory.js, once `npm run bench` has built it
import {
  createLimiter,
  type Decision,
  fixedWindow,
  gcra,
  guardedStore,
  memoryStore,
  type Store,
} from '@sluice/core'

const maxKeys = 100_000
const asked = 200
const policy = fixedWindow({ limit: 2, window: '1h' })
const silent = { warn() {}, error() {} }

/** A store that never answers, so that its guard counts in this process. */
function dead(): Store {
  const away = () => Promise.reject(new Error('away'))
  return { name: 'dead', answer: away, adjust: away, manage: away, ready: away, close: async () => {} }
}

function quantile(sorted: readonly number[], share: number): string {
  return (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1)
}

/** Times operations on full memory, one after the other. */
async function time(name: string, store: Store, ask: (i: number) => Promise<unknown>): Promise<void> {
  const tookUs: number[] = []
  for (let i = 0; i < asked; i++) {
    const startedAt = performance.now()
    await ask(i)
    tookUs.push((performance.now() - startedAt) * 1000)
  }
  tookUs.sort((a, b) => a - b)
  const keys = store.health?.().keys
  console.log(`${name}: median ${quantile(tookUs, 0.5)}, longest ${quantile(tookUs, 1)} µs, ${keys} keys`)
}

async function measure(where: string, store: Store): Promise<void> {
  const limiter = createLimiter({ name: 'counter', policy, store, logger: silent })
  for (let i = 0; i < 500; i++) await limiter.check(`warm ${i}`)
  const last: Decision[] = []
  for (let i = 0; i < maxKeys; i++) {
    await limiter.check(`key ${i}`)
    const decision = await limiter.check(`key ${i}`)
    if (i % (maxKeys / asked) === 0) last.push(decision)
  }
  for (let i = 0; i < 1000; i++) await limiter.check(`warm ${i % 500}`)
  for (const { key } of last) await limiter.penalize(key, 1)
  const rate = createLimiter({
    name: 'rate',
    policy: gcra({ count: 1000, period: '1s' }),
    store,
    logger: silent,
  })
  await time(`${where}, a new key`, store, (i) => rate.check(`new ${i}`))
  await time(`${where}, a new key after a refund that frees none`, store, async (i) => {
    await last[i]?.refund()
    await rate.check(`newer ${i}`)
  })
  await time(`${where}, a new key after a reset`, store, async (i) => {
    await limiter.reset(`key ${i + 1}`).catch(() => {})
    await rate.check(`newest ${i}`)
  })
  await time(`${where}, a new block`, store, (i) => limiter.block(`blocked ${i}`, '1h').catch(() => {}))
  for (let i = 0; i < 20_000; i++) await limiter.block(`many ${i}`, '2h').catch(() => {})
  await time(`${where}, a new block behind 20,000`, store, (i) =>
    limiter.block(`block ${i}`, '1h').catch(() => {}),
  )
}

await measure('memory', memoryStore({ maxKeys }))
await measure('fallback', guardedStore(dead(), { maxKeys }))
