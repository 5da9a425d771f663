import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from '@jest/globals'

const root = path.resolve(__dirname, '../..')

/** Which imports a file's text asks for, static and dynamic, types among them. */
function importsOf(text: string): string[] {
  const pattern = /(?<!')\b(?:from|import)\s*\(?\s*'([^'\n]+)'/g
  return [...text.matchAll(pattern)].map(([, name = '']) => name)
}

function filesOf(folder: string, recursive: boolean): string[] {
  const files = readdirSync(folder, { recursive, encoding: 'utf8' })
  const written = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.generated.ts'))
  return written.map((file) => path.join(folder, file))
}

/** A folder's rule: it may import nothing but what one of the patterns names, or anything but what one names. */
interface Rule {
  readonly folder: string
  readonly only?: readonly RegExp[]
  readonly never?: readonly RegExp[]
}

const own = /^\.\.?\//
const core = (...entries: string[]) => new RegExp(`^@sluice/core(/(${entries.join('|')}))?$`)
const http = /^@sluice\/http(\/internal)?$/
const redisClient = /^(ioredis|redis)$/

/** Arrows go downward: what stands below does not know what stands above. */
const rules: readonly Rule[] = [
  // Strategies are pure: no I/O, no clock, nothing above them. They name what keeps their places and delays their callers, and know nothing of it.
  {
    folder: 'core/src/strategies',
    only: [/^\.\//, /^\.\.\/(units|options|errors|policy|places\/places|reserving\/reserving)\.ts$/],
  },
  // How strategies are described, of which no limiter knows.
  {
    folder: 'core/src/strategies/words',
    only: [/^\.\//, /^\.\.\/[\w-]+\.ts$/, /^\.\.\/\.\.\/(units|policy)\.ts$/],
  },
  { folder: 'core/src/memory', never: [/\/(decision|limiter|redis|resilience)\//, redisClient] },
  { folder: 'core/src/redis', never: [/\/(decision|limiter|memory|resilience)\//] },
  { folder: 'core/src/resilience', never: [/\/(decision|limiter)\//, redisClient] },
  { folder: 'core/src/ahead', never: [/\/(decision|limiter|memory|redis|reserving|places)\//, redisClient] },
  // What a store answers becomes a decision, whatever the store and whoever has asked.
  {
    folder: 'core/src/decision',
    only: [
      /^\.\//,
      /^\.\.\/(strategies\/(policy-parts|unit)|units|errors|policy|key|lists|row|runtime|store)\.ts$/,
    ],
  },
  {
    folder: 'core/src/waiting',
    never: [/\/(decision|limiter|redis|memory|resilience|strategies)\//, redisClient],
  },
  { folder: 'core/src/reserving', never: [/\/(limiter|redis|memory|resilience)\//, redisClient] },
  { folder: 'core/src/limiter', never: [/\/(redis|resilience)\//, redisClient] },
  { folder: 'core/src', never: [redisClient, /^@sluice\//] },
  { folder: 'state/src', only: [own, core('internal')] },
  { folder: 'http/src', only: [own, core('internal'), /^node:/] },
  // For users' tests, whatever runs them.
  { folder: 'testing/src', only: [/^\.\//, core('internal'), /^node:(assert|util)$/] },
  { folder: 'express/src', only: [own, core('internal'), http, /^express$/] },
  { folder: 'fastify/src', only: [own, core('internal'), http, /^fastify$/] },
  { folder: 'koa/src', only: [own, core('internal'), http, /^koa$/] },
  // It runs where nothing of Node is.
  { folder: 'fetch/src', only: [own, core('internal'), http, /^hono(\/(route|utils\/http-status))?$/] },
  {
    folder: 'nest/src',
    only: [own, core('internal'), http, /^@nestjs\/(common|core|websockets)$/, /^rxjs$/],
  },
  {
    folder: 'compat/src',
    only: [own, core('internal'), http, /^(express|fastify|koa|ioredis|redis)$/, /^node:/],
  },
  {
    folder: 'limits/src',
    only: [own, core('internal', 'strategies'), http, /^yaml$/, /^node:(fs|fs\/promises|path)$/],
  },
  { folder: 'queue/src', only: [own, core('internal'), http, /^node:(crypto|http|timers\/promises)$/] },
  { folder: 'postgres/src', only: [own, core('internal'), /^@sluice\/state(\/internal)?$/] },
  {
    folder: 'host/src',
    only: [own, core('internal'), /^@sluice\/state\/internal$/, /^node:/],
  },
  { folder: 'adaptive/src', only: [own, core('internal'), http, /^(express|fastify|koa)$/] },
  {
    folder: 'telemetry/src',
    only: [own, core('internal'), /^(prom-client|@opentelemetry\/api)$/, /^node:timers$/],
  },
  {
    folder: 'server/src',
    only: [
      own,
      core('internal'),
      http,
      /^@sluice\/(limits|telemetry)$/,
      /^@grpc\/(grpc-js|proto-loader)$/,
      /^prom-client$/,
      /^node:(crypto|events|fs|http|https|net|timers\/promises|tls)$/,
    ],
  },
  {
    folder: 'dashboard/src',
    only: [own, core('internal'), http, /^@sluice\/telemetry$/, /^node:(http|crypto)$/],
  },
  {
    // Users run it on a store of their own: nothing that they would have to install besides.
    folder: 'conformance/src/store',
    only: [
      own,
      core('strategies', 'internal'),
      /^@sluice\/state(\/internal)?$/,
      /^fast-check$/,
      /^node:crypto$/,
    ],
  },
  // It runs in browsers.
  { folder: 'site/src/playground', never: [/^node:/, /^\.\.\//] },
  {
    folder: 'cli/src/endpoint',
    only: [/^\.\//, core('internal', 'strategies'), http, /^node:http$/],
  },
]

/** What is in folders of these has rules of its own. */
const withFoldersApart = ['core/src', 'core/src/strategies']

describe.each(rules)('$folder', ({ folder, only, never = [] }) => {
  const found = filesOf(path.join(root, 'packages', folder), !withFoldersApart.includes(folder))

  it('imports only what stands below it', () => {
    expect(found).not.toEqual([])
    const wrong: string[] = []
    for (const file of found) {
      for (const name of importsOf(readFileSync(file, 'utf8'))) {
        const allowed = only?.some((pattern) => pattern.test(name)) ?? true
        if (!allowed || never.some((pattern) => pattern.test(name)))
          wrong.push(`${path.relative(root, file)}: ${name}`)
      }
    }
    expect(wrong).toEqual([])
  })
})

/** Browsers and workers have none of Node's modules: core asks `runtime.ts` for what they have in their place. */
it('core imports no module of Node, but for tests that run on it', () => {
  const src = path.join(root, 'packages/core/src')
  const files = filesOf(src, true).filter((file) => !file.includes('/testing/'))
  expect(files.length).toBeGreaterThan(100)
  const found = files.filter((file) =>
    /^import (?!type )(?:[^']* from )?'node:/m.test(readFileSync(file, 'utf8')),
  )
  expect(found.map((file) => path.relative(src, file))).toEqual([])
})

/** Whoever has a guarded store has them, and nobody else carries a byte of them. */
it('units taken ahead are attached where a guarded store is made, and known nowhere else', () => {
  const src = path.join(root, 'packages/core/src')
  // `internal` passes on what the simulation asks for.
  const files = filesOf(src, true).filter((file) => !/^(ahead|internal)\//.test(path.relative(src, file)))
  const found = files.filter((file) =>
    importsOf(readFileSync(file, 'utf8')).some((name) => /\/ahead\//.test(name)),
  )
  expect(found.map((file) => path.relative(src, file))).toEqual(['resilience/guard.ts'])
})
