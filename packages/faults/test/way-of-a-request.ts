import { Session } from 'node:inspector/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { gcra, redisStore } from '@sluice/core'
import { rateLimit } from '@sluice/fastify'
import fastify from 'fastify'
import { Redis } from 'ioredis6'

// Prints the source files of which a function runs while one request passes, after others have. Started with the server's socket.
const root = path.resolve(import.meta.dirname, '../../..')
const client = new Redis(process.argv[2] ?? '')
const store = redisStore(client, { deadline: '20s' })
const app = fastify()
await app.register(rateLimit, {
  name: `way-${process.pid}`,
  // However busy this machine is, Redis decides.
  store,
  logger: { warn: () => {}, error: console.error },
  policy: gcra({ count: 100, period: '1h' }),
})
app.get('/', async (request) => request.rateLimit?.source)
const url = await app.listen({ port: 0, host: '127.0.0.1' })

async function pass(): Promise<void> {
  const response = await fetch(url)
  const source = await response.text()
  if (response.status !== 200 || source !== 'redis') throw new Error(`${response.status} by ${source}`)
}

for (let i = 0; i < 5; i++) await pass()
const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
await session.post('Profiler.takePreciseCoverage')
await pass()
const { result } = await session.post('Profiler.takePreciseCoverage')
const files = result
  .filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
  .filter(({ url }) => url.startsWith('file:'))
  .map(({ url }) => path.relative(root, fileURLToPath(url)))
console.log(JSON.stringify(files.filter((file) => file.startsWith('packages/') && file.includes('/src/'))))
await app.close()
await store.close()
client.disconnect()
