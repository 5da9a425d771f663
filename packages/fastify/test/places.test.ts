import { expect, it } from '@jest/globals'
import { fixedWindow } from '@sluice/core'
import Fastify from 'fastify'
import { rateLimit } from '../src/index.ts'

const policy = fixedWindow({ limit: 1, window: '1m' })

it.each<[string, object]>([
  ['config.ratelimit', { config: { ratelimit: { policy } } }],
  ['config.RateLimit', { config: { RateLimit: false } }],
  ['config.rate_limit', { config: { rate_limit: { policy } } }],
  ['rateLimit', { rateLimit: { policy } }],
  ['config.rateLimit', { config: { rateLimit: null } }],
  ['config.rateLimit', { config: { rateLimit: true } }],
])("a route's options under %s are reported when it is declared", async (path, options) => {
  const app = Fastify()
  await app.register(rateLimit, { policy })
  expect(() => app.get('/', options, async () => 'ok')).toThrow(
    expect.objectContaining({ code: 'SLUICE_OPTION', path }),
  )
  await app.close()
})

it('other names in the config of a route are its own', async () => {
  const app = Fastify()
  await app.register(rateLimit, { policy, global: false })
  const config = { rateLimited: true, limits: { rateLimit: 5 } }
  expect(() => app.get('/', { config }, async () => 'ok')).not.toThrow()
  await app.close()
})
