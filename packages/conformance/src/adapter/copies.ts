import { expect, jest } from '@jest/globals'
import type { Scenario } from './scenario.ts'
import type { Handler } from './site.ts'
import { rowOf } from './world.ts'

interface Copy {
  readonly core: typeof import('@sluice/core')
  readonly http: typeof import('@sluice/http/internal')
}

/** Core loaded again, as when one half of a program requires it and the other imports it. */
async function secondCopy(): Promise<Copy> {
  let copy: Copy | undefined
  await jest.isolateModulesAsync(async () => {
    copy = { core: await import('@sluice/core'), http: await import('@sluice/http/internal') }
  })
  if (copy === undefined) throw new Error('nothing was loaded')
  return copy
}

export const copies: readonly Scenario[] = [
  {
    title: 'a second copy sees what the first has marked on a request',
    async run(world) {
      const { core, http } = await secondCopy()
      expect(core.fixedWindow).not.toBe((await import('@sluice/core')).fixedWindow)
      const options = { ...world.tickets({ name: 'copied' }), headers: { draft: true } }
      const gate = http.createGate<object>(options)
      const handler: Handler = async ({ request, raw, send }) => {
        const limiter = http.bindingDecision(request)?.limiter
        const facts = {
          method: 'GET',
          route: undefined,
          ip: '127.0.0.1',
          peer: '127.0.0.1',
          trustsAll: false,
          headers: raw.req.headers,
        }
        await http.handleRequest(gate, { request, facts, fields: raw, raw })
        send(200, String(limiter))
      }
      const client = await world.open({
        limits: [world.tickets({ headers: { draft: true } })],
        routes: [{ handler }],
      })
      const reply = await client.send()
      expect([reply.status, reply.body]).toEqual([200, 'tickets'])
      expect(rowOf(reply)).toEqual([200, '2', '1', '10', undefined])
    },
  },
  {
    title: 'policies, limiters and refusals of a second copy are as good as those of the first',
    async run(world) {
      const { core } = await secondCopy()
      const policy = core.fixedWindow({ limit: 1, window: '10s' })
      const limiter = core.createLimiter({ policy, name: 'theirs', ...world.quiet() })
      world.later(() => limiter.close())
      const limits = [world.tickets({ policy, refuseBy: 'error' }), { limiter, key: () => 'bob' }]
      const client = await world.open({
        limits,
        onError: (error, { send }) => send(core.isRefusedError(error) ? 418 : 500),
      })
      expect([(await client.send()).status, (await client.send()).status]).toEqual([200, 418])
      expect((await limiter.peek('bob')).remaining).toBe(0)
    },
  },
]
