import { execFile } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { installedIn } from '@sluice/faults/packed'
import ts from 'typescript-oldest'

const run = promisify(execFile)
const installed = [
  'express',
  '@types/express',
  'koa',
  '@types/koa',
  'fastify',
  'hono',
  '@nestjs/common',
  '@types/node',
  ...['adaptive', 'compat', 'core', 'express', 'fastify', 'fetch', 'http', 'koa', 'nest'].map(
    (name) => `@sluice/${name}`,
  ),
]
const compiler = path.join(__dirname, '../../../../node_modules/typescript/bin/tsc')

/** What an application exports for its other packages. */
const program = `
import { createLimiter, gcra, redisStore, slidingWindowLog } from '@sluice/core'
import { shed as shedExpress } from '@sluice/adaptive/express'
import { shed as shedKoa } from '@sluice/adaptive/koa'
import { rateLimit as likeExpressRateLimit } from '@sluice/compat/express-rate-limit'
import { type RateLimitOptions as ExpressOptions, rateLimit as ofExpress } from '@sluice/express'
import { rateLimit as ofFastify } from '@sluice/fastify'
import { type RateLimitOptions as FetchOptions, rateLimit as ofFetch } from '@sluice/fetch'
import { rateLimit as ofHono } from '@sluice/fetch/hono'
import { type RateLimitOptions as KoaOptions, rateLimit as ofKoa } from '@sluice/koa'
import type { Request as ExpressRequest } from 'express'
import { rateLimitGuard } from '@sluice/nest'
import type {} from 'fastify'
import type { Context } from 'koa'
import type {} from '@nestjs/common'

const policy = gcra({ count: 100, period: '1m' })
const policies = { minute: policy, logins: slidingWindowLog({ limit: 5, window: '15m' }) }
const ip = () => undefined
export const store = redisStore('redis://localhost')
export const limiter = createLimiter({ policies, store })
export const decision = limiter.check('bob')
export const express = ofExpress({ policy })
export const expressTwo = ofExpress({ policies, store })
export const expressLimiter = express.limiter
export const old = likeExpressRateLimit({ limit: 100 })
export const shedding = shedExpress()
export const sheddingKoa = shedKoa()
export const fastify = ofFastify
export const koa = ofKoa({ policies })
export const fetch = ofFetch({ policy, ip })
export const hono = ofHono({ policy, ip })
export const guard = rateLimitGuard({ policies })
export const forExpress = (options: ExpressOptions<ExpressRequest>) => ofExpress(options)
export const forKoa = (options: KoaOptions<Context>) => ofKoa(options)
export const forFetch = (options: FetchOptions<Request>) => ofFetch({ ...options, ip })
`

/** The same without a framework, where `@sluice/http` is installed. */
const plainProgram = `
import { createLimiter, gcra } from '@sluice/core'
import { guardRequest, guardUpgrade, limitedFetch } from '@sluice/http'

const policy = gcra({ count: 100, period: '1m' })
export const request = guardRequest({ policy })
export const upgrade = guardUpgrade({ policy })
export const partner = limitedFetch(createLimiter({ policy }), { key: () => 'partner' })
`

/** As pnpm lays packages out: a program reaches what it has installed by its name, and nothing that this needs. */
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'declarations-'))
  const all = path.join(folder, 'node_modules/.pnpm/all')
  mkdirSync(all, { recursive: true })
  await installedIn(all, ...installed)
  for (const name of installed) {
    const link = path.join(folder, 'node_modules', name)
    mkdirSync(path.dirname(link), { recursive: true })
    symlinkSync(path.join(all, 'node_modules', name), link)
  }
}, 300_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What the compiler says of a program, and the declarations of what it exports. */
async function declared(name: string, text: string): Promise<{ said: string; read: () => string }> {
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  writeFileSync(path.join(folder, `${name}.ts`), text)
  const compilerOptions = {
    ...{ strict: true, skipLibCheck: true, declaration: true, emitDeclarationOnly: true, outDir: 'declared' },
    ...{ module: 'nodenext', target: 'es2022', types: ['node'] },
  }
  const project = path.join(folder, `tsconfig.${name}.json`)
  writeFileSync(project, JSON.stringify({ files: [`${name}.ts`], compilerOptions }))
  const { stdout } = await run(process.execPath, [compiler, '-p', project]).catch((error) => error)
  return { said: stdout, read: () => readFileSync(path.join(folder, `declared/${name}.d.ts`), 'utf8') }
}

it('an application can export what it makes, with declarations, where only what it has installed is in its reach', async () => {
  const { said, read } = await declared('limits', program)
  expect(said).toBe('')
  expect([...read().matchAll(/@sluice\/http[^"']*/g)].map(([name]) => name)).toEqual([])
})

it('so can one without a framework', async () => {
  expect((await declared('plain', plainProgram)).said).toBe('')
})

/** The comments of a file that an editor shows at no name. */
function lostComments(file: string): readonly string[] {
  const text = readFileSync(file, 'utf8')
  const shown = new Set<number>()
  const look = (node: ts.Node): void => {
    for (const { pos } of ts.getJSDocCommentsAndTags(node)) shown.add(pos)
    ts.forEachChild(node, look)
  }
  look(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true))
  const comments = text.matchAll(/\/\*\*(?:(?!\*\/)[\s\S])*\*\//g)
  return [...comments].filter(({ index }) => !shown.has(index)).map(([comment]) => `${file}: ${comment}`)
}

it('an editor shows every comment of the types at the name that it is about', () => {
  const place = path.join(folder, 'node_modules/.pnpm/all/node_modules/@sluice')
  const files = readdirSync(place, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.d.ts'))
    .map((file) => path.join(place, file))
  expect(files.length).toBeGreaterThan(20)
  expect(files.flatMap(lostComments)).toEqual([])
})
