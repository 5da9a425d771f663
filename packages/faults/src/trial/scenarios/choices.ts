import { setTimeout as elapse } from 'node:timers/promises'
import type { RedisProcess } from '../../outage/redis-process.ts'
import { behindProxy, type Proxied } from '../places.ts'
import type { Trial } from '../trial.ts'
import { killed } from './gone.ts'

export const denied: Trial<Proxied> = {
  ...killed,
  title: "a server that is killed, where everybody is refused meanwhile ('deny')",
  frameworks: ['fastify'],
  choices: { onStoreFailure: 'deny' },
  bounds: { limits: 2, because: 'the server has lost what it had, once' },
}

export const allowed: Trial<Proxied> = {
  ...killed,
  title: "a server that is killed, where everybody is admitted meanwhile ('allow')",
  frameworks: ['koa'],
  choices: { onStoreFailure: 'allow' },
}

async function fallAndRise(server: RedisProcess, times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    if (i > 0) {
      await elapse(700)
      await server.kill()
    }
    await elapse(700)
    await server.start()
  }
}

/** Whatever is forgotten, processes hold against a key what they know of it. */
export const forgetful: Trial<Proxied> = {
  title: 'a server that is killed again and again, and always comes back empty',
  frameworks: ['express'],
  place: behindProxy,
  forgets: true,
  lastsMs: 0,
  async befall({ place: { server } }) {
    await server.kill()
    const over = fallAndRise(server, 3)
    return () => over
  },
}
