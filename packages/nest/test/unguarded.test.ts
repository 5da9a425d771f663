import { describe, expect, it } from '@jest/globals'
import {
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  type INestApplication,
  Inject,
  Injectable,
  Module,
  type ModuleMetadata,
  Scope,
  UseGuards,
} from '@nestjs/common'
import { APP_GUARD } from '@nestjs/core'
import { fixedWindow } from '@sluice/core'
import { RateLimit, RateLimitGuard, RateLimitModule, RateLimits } from '../src/index.ts'
import { listening, still } from './serve.ts'
import { onExpress } from './start.ts'

const policy = fixedWindow({ limit: 5, window: '1d' })

@Controller()
class Plain {
  @Get('zoo')
  zoo(): void {}
}

@Controller()
class Decorated {
  @RateLimit({ policy })
  @Get('tigers')
  tigers(): void {}
}

@Controller()
@UseGuards(RateLimitGuard)
class Guarded {
  @Get('zoo')
  zoo(): void {}
}

@Injectable({ scope: Scope.REQUEST })
class OwnGuard extends RateLimitGuard {}

@Injectable()
class Around implements CanActivate {
  readonly #guard: RateLimitGuard
  constructor(guard: RateLimitGuard) {
    this.#guard = guard
  }
  canActivate(context: ExecutionContext) {
    return this.#guard.canActivate(context)
  }
}
Inject(RateLimitGuard)(Around, undefined, 0)

const taken = (app: INestApplication) => app.useGlobalGuards(app.get(RateLimitGuard))
const byHand = (app: INestApplication) => app.useGlobalGuards(new RateLimitGuard(app.get(RateLimits)))

async function warnedOf(
  options: object,
  parts: ModuleMetadata,
  before?: (app: INestApplication) => unknown,
): Promise<readonly string[]> {
  const warned: string[] = []
  const observers = [{ warned: ({ code }: { readonly code: string }) => void warned.push(code) }]
  const logger = { warn() {}, error() {} }
  const imports = [
    RateLimitModule.forRoot(still({ ...options, observers, logger })),
    ...(parts.imports ?? []),
  ]
  @Module({ ...parts, imports })
  class SiteModule {}
  await listening(onExpress, SiteModule, before)
  return warned
}

type Row = readonly [name: string, options: object, parts: ModuleMetadata, warns: boolean]

describe('limits that no guard applies', () => {
  // biome-ignore format: a table
  const rows: readonly Row[] = [
    // application                          options            parts                                                             warns
    ['limits of the module, and no guard',  { policy },        { controllers: [Plain] },                                         true],
    ['limits of a decorator, and no guard', { global: false }, { controllers: [Decorated] },                                     true],
    ['no limits at all',                    { global: false }, { controllers: [Plain] },                                         false],
    ['a guard for all',                     { policy },        { providers: [{ provide: APP_GUARD, useClass: RateLimitGuard }] }, false],
    ['a guard for each request',            { policy },        { providers: [{ provide: APP_GUARD, useClass: OwnGuard }] },       false],
    ['a guard on a controller',             { policy },        { controllers: [Guarded] },                                       false],
    ['a guard that is only listed',         { policy },        { providers: [RateLimitGuard] },                                  true],
    ['one of its own that is only listed',  { policy },        { providers: [OwnGuard] },                                        true],
    ['a guard that is listed and used',     { policy },        { providers: [RateLimitGuard], controllers: [Guarded] },          false],
    ['a guard that another one asks',       { policy },        { providers: [RateLimitGuard, { provide: APP_GUARD, useClass: Around }] }, false],
    ['a guard that is the global one',      { policy },        { providers: [RateLimitGuard, { provide: APP_GUARD, useExisting: RateLimitGuard }] }, false],
  ]
  it.each(rows)('%s', async (_, options, parts, warns) => {
    expect(await warnedOf(options, parts)).toEqual(warns ? ['SLUICE_NO_GUARD'] : [])
  })

  it('a guard that is made by hand', async () => {
    expect(await warnedOf({ policy }, { controllers: [Plain] }, byHand)).toEqual([])
  })

  it('a guard that is listed, and made global by hand', async () => {
    expect(await warnedOf({ policy }, { providers: [RateLimitGuard] }, taken)).toEqual([])
  })
})

describe('a module that is imported twice, with a guard for all', () => {
  @Controller()
  class Unlimited {
    @Get('bears')
    bears(): void {}
  }
  const rows = [
    ['limits that no guard in its module applies', Unlimited, ['SLUICE_NO_GUARD']],
    ['limits that a guard on a handler applies', Guarded, []],
  ] as const
  it.each(rows)('%s', async (_, controller, codes) => {
    const warned: string[] = []
    const observers = [{ warned: ({ code }: { readonly code: string }) => void warned.push(code) }]
    const logger = { warn() {}, error() {} }
    const more = { policy: fixedWindow({ limit: 2, window: '1d' }), name: 'more', observers, logger }
    @Module({ imports: [RateLimitModule.forRoot(still(more))], controllers: [controller] })
    class PartModule {}
    const root = { imports: [PartModule], providers: [{ provide: APP_GUARD, useClass: RateLimitGuard }] }
    expect(await warnedOf({ policy }, root)).toEqual([])
    expect(warned).toEqual(codes)
  })
})

it('no options at all', async () => {
  const options = undefined as never
  @Module({ imports: [RateLimitModule.forRoot(options)] })
  class SiteModule {}
  await expect(listening(onExpress, SiteModule)).rejects.toThrow('options: expected an object of options')
})
