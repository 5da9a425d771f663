import { createRequire } from 'node:module'
import { expect, it } from '@jest/globals'
import * as express from '../src/express-rate-limit/index.ts'
import * as fastify from '../src/fastify-rate-limit/index.ts'
import * as koa from '../src/koa-ratelimit/index.ts'
import * as flexible from '../src/rate-limiter-flexible/index.ts'

const require = createRequire(import.meta.url)

it.each([
  ['express-rate-limit', require('express-rate-limit'), express],
  ['@fastify/rate-limit', require('@fastify/rate-limit'), fastify],
  ['koa-ratelimit', require('koa-ratelimit'), koa],
  ['rate-limiter-flexible', require('rate-limiter-flexible'), flexible],
] as const)('%s exports nothing that is not here', (_name, original, face) => {
  const exported = Object.keys(original).filter((each) => each !== '__esModule')
  expect(Object.keys(face)).toEqual(expect.arrayContaining(exported))
})
