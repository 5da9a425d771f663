import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { freePort, RedisProcess } from '@sluice/faults/outage'
import { installed } from '@sluice/faults/packed'
import { blocksOf, page, root } from '../docs/pages.ts'
import { Reader } from './reader.ts'
import { installsOf } from './steps.ts'

/** Packages whose README has no program to run here, and what runs it. */
const elsewhere: Readonly<Record<string, string>> = {
  cli: 'its program is an endpoint in a server that its reader has; the commands of pages are run in the project packed',
  compat: 'it has one line for each library; moving.test.ts takes the steps',
  conformance: 'its program is a suite for a store that its reader has',
  postgres: 'it needs a server: its program is compiled alone',
}

interface Manifest {
  readonly private?: boolean
}

const packages = readdirSync(path.join(root, 'packages')).filter((name) => {
  const file = path.join(root, 'packages', name, 'package.json')
  return (JSON.parse(readFileSync(file, 'utf8')) as Manifest).private !== true // npm's own form
})

/** What a reader has besides: the types of what the page installs, and the framework that it is for. */
function besides(installs: readonly string[], code: string): readonly string[] {
  const typed = ['express', 'koa', 'pg'].filter((name) => code.includes(`from '${name}'`))
  const frameworks = ['express', 'fastify', 'koa'].filter((name) => code.includes(`from '${name}'`))
  const ofNest = code.includes('@nestjs/')
    ? ['@nestjs/common', '@nestjs/core', '@nestjs/platform-express', 'reflect-metadata', 'rxjs']
    : []
  // What the endpoint of @sluice/cli stands in.
  const ofServer = code.includes("from '@sluice/express'") ? ['@sluice/express'] : []
  const all = [...ofServer, ...typed.map((name) => `@types/${name}`), ...frameworks, ...ofNest, '@types/node']
  return all.filter((name) => !installs.includes(name))
}

/** Its servers are those of this test, on ports that are free. */
async function here(code: string, redis: string): Promise<string> {
  const named = code.replace(/redis:\/\/localhost(:\d+)?/g, redis)
  const served = named.replace('serveLimits({', 'serveLimits({ http: { port: 0 }, grpc: { port: 0 },')
  return served.replace(/\b(3000|8080)\b/g, String(await freePort()))
}

let redis: RedisProcess
beforeAll(async () => {
  redis = await RedisProcess.prepare()
  await redis.start()
})
afterAll(() => redis.end())

describe.each(packages)('packages/%s in an empty folder, from its tarball', (name) => {
  const readme = page(`packages/${name}/README.md`)
  const blocks = blocksOf(readme)
  const program = blocks.find(({ info }) => info === 'ts')?.code

  it('has neither source maps nor sources and tests', async () => {
    const folder = path.join(await installed(`@sluice/${name}`), 'node_modules/@sluice', name)
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    expect(files).toContain('README.md')
    expect(files.filter((file) => /\.map$|^(src|test)\b/.test(file))).toEqual([])
  })

  if (program === undefined) it('has no program', () => expect(Object.keys(elsewhere)).toContain(name))
  else
    it('the first program of its page compiles with strict types, and runs', async () => {
      const reader = new Reader({ type: 'module' })
      try {
        const installs = installsOf(readme.text)
        await reader.install(...new Set([`@sluice/${name}`, ...installs, ...besides(installs, program)]))
        reader.write('app.ts', await here(program, redis.url))
        for (const { info, code } of blocks) if (info === 'yaml') reader.write('limits.yaml', code)
        expect(await reader.compile({ experimentalDecorators: true, emitDecoratorMetadata: true })).toBe('')
        if (elsewhere[name] !== undefined) return
        // To the end of its own lines: a server would go on.
        reader.write('run.mjs', "await import('./dist/app.js')\nprocess.exit(0)\n")
        const { code, output } = await reader.run(['run.mjs'])
        expect({ code, output: output.replace(/^.*\[ 0, 0.*\n/gm, '') }).toEqual({
          code: 0,
          output: expect.any(String),
        })
      } finally {
        await reader.leave()
      }
    })
})
