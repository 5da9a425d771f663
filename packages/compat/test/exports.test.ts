import { execFile as execute } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from '@jest/globals'
import * as express from '../src/express-rate-limit/index.ts'
import * as fastify from '../src/fastify-rate-limit/index.ts'
import * as koa from '../src/koa-ratelimit/index.ts'
import * as flexible from '../src/rate-limiter-flexible/index.ts'

const require = createRequire(import.meta.url)
const execFile = promisify(execute)

it.each([
  ['express-rate-limit', require('express-rate-limit'), express],
  ['@fastify/rate-limit', require('@fastify/rate-limit'), fastify],
  ['koa-ratelimit', require('koa-ratelimit'), koa],
  ['rate-limiter-flexible', require('rate-limiter-flexible'), flexible],
] as const)('%s exports nothing that is not here', (_name, original, face) => {
  const exported = Object.keys(original).filter((each) => each !== '__esModule')
  expect(Object.keys(face)).toEqual(expect.arrayContaining(exported))
})

describe('the package itself', () => {
  const fail = (code: string) =>
    execFile(process.execPath, ['--input-type=module', '-e', code], { cwd: import.meta.dirname }).catch(
      ({ stderr }: { stderr: string }) => stderr,
    )

  it.each([
    "import '@sluice/compat'",
    "import { rateLimit } from '@sluice/compat'",
    "import limiter from '@sluice/compat'",
    "import { createRequire } from 'node:module'; createRequire(process.cwd() + '/x')('@sluice/compat')",
  ])('says what to import: %s', async (code) => {
    expect(await fail(code)).toContain("write '@sluice/compat/express-rate-limit', ")
  })

  it('knows the names of all its entries', () => {
    const text = readFileSync(path.join(import.meta.dirname, '../root/index.cjs'), 'utf8')
    const named = [...text.matchAll(/^exports\.(\w+)/gm)].map(([, name]) => name)
    const exported = [express, fastify, koa, flexible].flatMap((face) => Object.keys(face))
    expect(named.sort()).toEqual([...new Set(exported)].filter((name) => name !== 'default').sort())
  })
})
