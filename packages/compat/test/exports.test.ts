import { createRequire } from 'node:module'
import { expect, it } from '@jest/globals'
import * as express from '../src/express-rate-limit/index.ts'
import * as fastify from '../src/fastify-rate-limit/index.ts'
import * as koa from '../src/koa-ratelimit/index.ts'
import * as flexible from '../src/rate-limiter-flexible/index.ts'

const original = createRequire(import.meta.url)

it.each([
  ['express-rate-limit', express],
  ['@fastify/rate-limit', fastify],
  ['koa-ratelimit', koa],
  ['rate-limiter-flexible', flexible],
] as const)('%s exports nothing that is not here', (name, face) => {
  const exported = Object.keys(original(name)).filter((each) => each !== '__esModule')
  expect(Object.keys(face)).toEqual(expect.arrayContaining(exported))
})
