import { expect, it } from '@jest/globals'
import { RedisProcess } from '@sluice/faults/outage'
import { createLimiter, fixedWindow, redisStore } from '../../src/index.ts'

it.each(['EVALSHA', 'EVAL'])('a server without %s repeats what it was sent: no log does', async (command) => {
  const server = await RedisProcess.prepare(['--rename-command', command, '""'])
  await server.start()
  // What is looked for is the server's own answer, however late it is on a busy machine.
  const store = redisStore(server.url, { deadline: '10s' })
  try {
    const said: string[] = []
    const keep = (line: string) => void said.push(line)
    const policy = fixedWindow({ limit: 3, window: '1h' })
    const limiter = createLimiter({ store, policy, logger: { warn: keep, error: keep } })
    // The first one goes by EVAL, the next by EVALSHA.
    await limiter.check('alice@example.com')
    expect(await limiter.check('alice@example.com')).toMatchObject({ allowed: true, source: 'fallback' })
    // Redis 6.2 has another quotation mark.
    const lines = said.map((line) => line.replaceAll('`', "'"))
    expect(lines).toEqual([`[sluice] the store redis failed: ERR unknown command '${command.toLowerCase()}'`])
  } finally {
    await store.close()
    await server.end()
  }
})
