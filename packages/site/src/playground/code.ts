import { canBeReserved, dataOf, isShared, mayWait, type Written } from './policy.ts'

/** Where the counts are kept. */
export type Place = 'memory' | 'redis'

const shortOptions = 70

interface Framework {
  readonly title: string
  /** What is installed beside `@sluice/core`. */
  readonly packages: readonly string[]
  readonly imports: readonly string[]
  /** A function of the request that names the client. */
  readonly client: string
  /** The lines behind the imports; `options` are those of the limiter, `ask` a call of it. */
  program(options: string, ask: string): readonly string[]
}

const onlyBehindOne = 'only behind one proxy: where there is none, a client could choose its address'

/** A framework is added here: nothing else knows them. */
export const frameworks: Readonly<Record<string, Framework>> = {
  express: {
    title: 'Express',
    client: "(req) => req.ip ?? ''",
    packages: ['@sluice/express', 'express'],
    imports: ["import { rateLimit } from '@sluice/express'", "import express from 'express'"],
    program: (options) => [
      'const app = express()',
      `// app.set('trust proxy', 1) // ${onlyBehindOne}`,
      `app.use(rateLimit(${options}))`,
      "app.get('/', (_req, res) => void res.send('hello'))",
      'app.listen(3000)',
    ],
  },
  fastify: {
    title: 'Fastify',
    client: '(request) => request.ip',
    packages: ['@sluice/fastify', 'fastify'],
    imports: ["import { rateLimit } from '@sluice/fastify'", "import Fastify from 'fastify'"],
    program: (options) => [
      "const app = Fastify() // behind proxies with these addresses: Fastify({ trustProxy: '10.0.0.0/8' })",
      `await app.register(rateLimit, ${options})`,
      "app.get('/', async () => 'hello')",
      'await app.listen({ port: 3000 })',
    ],
  },
  koa: {
    title: 'Koa',
    client: '(ctx) => ctx.ip',
    packages: ['@sluice/koa', 'koa'],
    imports: ["import { rateLimit } from '@sluice/koa'", "import Koa from 'koa'"],
    program: (options) => [
      'const app = new Koa()',
      `// app.proxy = true // ${onlyBehindOne}`,
      '// app.maxIpsCount = 1 // one proxy',
      `app.use(rateLimit(${options}))`,
      'app.use((ctx) => {',
      "  ctx.body = 'hello'",
      '})',
      'app.listen(3000)',
    ],
  },
  nest: {
    title: 'NestJS',
    client: '(context) => context.switchToHttp().getRequest().ip',
    packages: [
      '@sluice/nest',
      ...['common', 'core', 'platform-express'].map((name) => `@nestjs/${name}`),
      'reflect-metadata',
      'rxjs',
    ],
    imports: [
      "import { RateLimitGuard, RateLimitModule } from '@sluice/nest'",
      "import { Controller, Get, Module } from '@nestjs/common'",
      "import { APP_GUARD, NestFactory } from '@nestjs/core'",
    ],
    program: (options) => [
      '@Controller()',
      'class AppController {',
      '  @Get()',
      '  hello() {',
      "    return 'hello'",
      '  }',
      '}',
      '',
      '@Module({',
      `  imports: [RateLimitModule.forRoot(${indented(options)})],`,
      '  controllers: [AppController],',
      '  providers: [{ provide: APP_GUARD, useClass: RateLimitGuard }],',
      '})',
      'class AppModule {}',
      '',
      'const app = await NestFactory.create(AppModule)',
      'await app.listen(3000)',
    ],
  },
  hono: {
    title: 'Hono',
    client: "(c: Parameters<typeof getConnInfo>[0]) => getConnInfo(c).remote.address ?? ''",
    packages: ['@sluice/fetch', 'hono', '@hono/node-server'],
    imports: [
      "import { rateLimit } from '@sluice/fetch/hono'",
      "import { serve } from '@hono/node-server'",
      "import { getConnInfo } from '@hono/node-server/conninfo'",
      "import { Hono } from 'hono'",
    ],
    program: (options) => [
      'const app = new Hono()',
      `const limits = ${options}`,
      'app.use(rateLimit({ ...limits, ip: (c) => getConnInfo(c).remote.address }))',
      "app.get('/', (c) => c.text('hello'))",
      'serve({ fetch: app.fetch, port: 3000 })',
    ],
  },
  none: {
    title: 'No framework',
    packages: [],
    imports: [],
    client: '',
    program: (options, ask) => [
      `const limiter = createLimiter(${options})`,
      `const { allowed, remaining, retryAfterMs } = await limiter.${ask}`,
      'console.log(allowed, remaining, retryAfterMs)',
    ],
  },
}

/** What to install, and a program that is complete. */
export function programOf(
  written: Written,
  { framework, place, maxWaitMs = 0 }: { framework: string; place: Place; maxWaitMs?: number },
): { readonly install: string; readonly program: string } {
  const { packages, imports, client, program } = frameworks[framework] ?? missing(framework)
  const redis = place === 'redis'
  const { strategy, maxDebt, ...options } = dataOf(written)
  const isReservable = maxDebt !== undefined && canBeReserved(strategy)
  const names = [
    framework === 'none' ? 'createLimiter' : '',
    strategy,
    redis ? 'redisStore' : '',
    isReservable ? 'reservable' : '',
  ]
  const all = maxDebt === undefined || isReservable ? options : { ...options, maxDebt }
  const policy = `${strategy}(${literal(all)})`
  const settings = [`policy: ${isReservable ? `reservable(${policy}, ${literal({ maxDebt })})` : policy}`]
  const waits = maxWaitMs > 0 && mayWait(written)
  const shares = isShared(strategy)
  if (framework !== 'none') {
    if (shares) settings.push("key: () => 'all'", `note: ${client}`)
    if (waits) settings.push(`maxWait: ${maxWaitMs}`)
  }
  const subject = shares ? "'all', { note: 'bob' }" : waits ? `'bob', { maxWait: ${maxWaitMs} }` : "'bob'"
  const ask = `${waits ? 'wait' : 'check'}(${subject})`
  if (redis) settings.push("store: redisStore('redis://localhost')")
  const core = names.filter((name) => name !== '').join(', ')
  const lines = [
    `import { ${core} } from '@sluice/core'`,
    ...imports,
    '',
    ...program(optionsText(settings), ask),
  ]
  const installed = ['@sluice/core', ...packages, ...(redis ? ['ioredis'] : [])]
  return { install: `npm install ${installed.join(' ')}`, program: `${lines.join('\n')}\n` }
}

/** One step further in, where it has several lines. */
function indented(text: string): string {
  return text.replaceAll('\n', '\n  ')
}

/** In one line where that is short. */
function optionsText(settings: readonly string[]): string {
  const short = `{ ${settings.join(', ')} }`
  return short.length <= shortOptions ? short : `{\n${settings.map((each) => `  ${each},\n`).join('')}}`
}

function missing(framework: string): never {
  throw new RangeError(`There is no framework "${framework}".`)
}

/** As a person writes it. */
function literal(value: unknown): string {
  if (typeof value === 'string') return `'${value.replace(/[\\']/g, '\\$&')}'`
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const entries = Object.entries(value).map(([name, each]) => `${name}: ${literal(each)}`)
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
}
