'use strict'

const { test } = require('node:test')
const Fastify = require('fastify')
const Redis = require('ioredis')
const rateLimit = require('../index')

const REDIS_HOST = '127.0.0.1'

async function limits(t, options) {
  const fastify = Fastify()
  await fastify.register(rateLimit, { max: 1, timeWindow: 60_000, ...options })
  fastify.get('/', async () => 'hi')
  t.assert.deepStrictEqual((await fastify.inject('/')).statusCode, 200)
  t.assert.deepStrictEqual((await fastify.inject('/')).statusCode, 429)
  await fastify.close()
}

test('in memory', (t) => limits(t, {}))

test('in Redis', async (t) => {
  const redis = await new Redis({ host: REDIS_HOST })
  await limits(t, { redis })
  await redis.quit()
})
