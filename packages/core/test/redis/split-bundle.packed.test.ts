import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { RedisProcess } from '@sluice/faults/outage'
import { installed } from '@sluice/faults/packed'
import { build } from 'esbuild'

const run = promisify(execFile)

const program = `
import { createLimiter, gcra, redisStore } from '@sluice/core'

const logger = { warn: console.log, error: console.log }
const store = redisStore(process.env.REDIS_URL, { deadline: '10s' })
const limiter = createLimiter({ policy: gcra({ count: 5, period: '1m' }), store, logger })
await limiter.ready()
const { source } = await limiter.check('bob')
console.log(source)
await limiter.close()
await store.close()
`

/** ioredis, which is no ES module, asks for modules of Node by it. */
const withRequire =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);"

let redis: RedisProcess
let folder: string
/** Apart from the packages, so that nothing is found but what is in the bundle. */
let outdir: string
beforeAll(async () => {
  redis = await RedisProcess.prepare()
  await redis.start()
  folder = mkdtempSync(path.join(await installed('@sluice/core', 'ioredis'), 'split-'))
  outdir = mkdtempSync(path.join(tmpdir(), 'split-'))
}, 300_000)
afterAll(async () => {
  for (const each of [folder, outdir]) rmSync(each, { recursive: true, force: true })
  await redis.end()
})

it('a program that esbuild has split into several files, as tsup does by default, is decided in Redis', async () => {
  writeFileSync(path.join(folder, 'program.mjs'), program)
  await build({
    entryPoints: [path.join(folder, 'program.mjs')],
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    banner: { js: withRequire },
    logLevel: 'silent',
  })
  const env = { ...process.env, REDIS_URL: redis.url }
  const { stdout } = await run(process.execPath, [path.join(outdir, 'program.mjs')], { env })
  expect(stdout.trim()).toBe('redis')
})

it('a program that requires this package is bundled as an ES module, where there is no __filename', async () => {
  const entry = path.join(folder, 'program.cjs')
  const body = program.replace(/^import (.*) from (.*)$/m, 'const $1 = require($2)')
  writeFileSync(
    entry,
    body.replace(
      /^await limiter\.ready[\s\S]*/m,
      'limiter.check("bob").then(({ source }) => { console.log(source); process.exit() })',
    ),
  )
  const outfile = path.join(outdir, 'required.mjs')
  const banner = { js: withRequire }
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner,
    logLevel: 'silent',
  })
  const env = { ...process.env, REDIS_URL: redis.url }
  const { stdout } = await run(process.execPath, [outfile], { env })
  expect(stdout.trim()).toBe('redis')
})
