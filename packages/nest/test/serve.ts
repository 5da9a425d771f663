import { afterEach } from '@jest/globals'
import { type INestApplication, Module, type ModuleMetadata, type Type } from '@nestjs/common'
import { APP_GUARD, NestFactory } from '@nestjs/core'
import { memoryStore } from '@sluice/core'
import { manualClock } from '@sluice/testing'
import { RateLimitGuard, RateLimitModule, type RateLimitModuleOptions } from '../src/index.ts'
import { onExpress, onFastify, type Platform } from './start.ts'

export const platforms: readonly (readonly [name: string, platform: Platform])[] = [
  ['Express', onExpress],
  ['Fastify', onFastify],
]

const open = new Set<INestApplication>()

afterEach(async () => {
  for (const app of open) await app.close()
  open.clear()
})

/** Options on a store of their own, whose time stands still. */
export function still<T extends object>(options: T): T & RateLimitModuleOptions {
  return { store: memoryStore({ clock: manualClock() }), ...options } as T & RateLimitModuleOptions
}

/** An application that listens until its test is over. */
export async function listening(
  platform: Platform,
  module: Type,
  before: (app: INestApplication) => unknown = () => {},
): Promise<INestApplication> {
  const app = await NestFactory.create(module, platform.adapter({ trust: 'none', http2: false }), {
    logger: false,
    abortOnError: false,
  })
  open.add(app)
  before(app)
  await app.listen(0, '127.0.0.1')
  return app
}

/** One of controllers behind a guard for all of them. */
export async function guarded(
  platform: Platform,
  options: RateLimitModuleOptions,
  { providers = [], ...more }: ModuleMetadata,
): Promise<Site> {
  @Module({
    imports: [RateLimitModule.forRoot(options)],
    providers: [{ provide: APP_GUARD, useClass: RateLimitGuard }, ...providers],
    ...more,
  })
  class SiteModule {}
  return siteOf(await listening(platform, SiteModule))
}

/** What clients see of an application. */
export interface Site {
  readonly app: INestApplication
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>
  /** Limit and what remains of it, or the status of what was refused, for one request after another. */
  rows(...paths: readonly string[]): Promise<readonly string[]>
  close(): Promise<void>
}

export async function siteOf(app: INestApplication): Promise<Site> {
  const url = await app.getUrl()
  const get: Site['get'] = (path, headers = {}) => fetch(url + path, { headers })
  const rows: Site['rows'] = async (...paths) => {
    const found: string[] = []
    for (const path of paths) {
      const { status, headers } = await get(path)
      const left = `${headers.get('x-ratelimit-remaining')}/${headers.get('x-ratelimit-limit')}`
      found.push(status === 200 ? left : String(status))
    }
    return found
  }
  const close = () => {
    open.delete(app)
    return app.close()
  }
  return { app, get, rows, close }
}
