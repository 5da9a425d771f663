// Asks a burst of checks in a process that has just begun, collects what is young in the midst of it, and goes on as a busy server
// does. Prints how many bytes of each later check are made among the old objects, or come there. Started by the guard.
import { createLimiter, fixedWindow, gcra, redisStore } from '@sluice/core'
import { Redis } from 'ioredis'

const rate = { count: 1000, period: '1h', burst: 10_000_000 } as const
const policies = {
  counter: { default: fixedWindow({ limit: 1_000_000_000, window: '1h' }) },
  three: { one: gcra(rate), two: gcra({ ...rate, count: 999 }), three: gcra({ ...rate, count: 998 }) },
}
const [port, name] = process.argv.slice(2) as [string, keyof typeof policies]
const client = new Redis(Number(port), '127.0.0.1')
const store = redisStore(client, { deadline: '10s' })
const limiter = createLimiter({ name, policies: policies[name], store, logger: { warn() {}, error() {} } })
await limiter.ready()
const keys = Array.from({ length: 64 }, (_, i) => `user-${i}`)
const ask = () => keys.map((key) => limiter.check(key))
const collectYoung = () => globalThis.gc?.({ type: 'minor' })

collectYoung()
const burst = [...ask(), ...ask(), ...ask(), ...ask(), ...ask()]
collectYoung()
await Promise.all(burst)
// Until V8 has compiled what is asked often.
for (let i = 0; i < 500; i++) await Promise.all(ask())
globalThis.gc?.()
const before = process.memoryUsage().heapUsed
const turns = 500
for (let i = 0; i < turns; i++) {
  await Promise.all(ask())
  if (i % 50 === 0) collectYoung()
}
collectYoung()
console.log((process.memoryUsage().heapUsed - before) / (turns * keys.length))
client.disconnect()
