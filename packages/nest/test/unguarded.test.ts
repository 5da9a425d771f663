import { describe, expect, it } from '@jest/globals'
import {
  Controller,
  Get,
  type INestApplication,
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

const byHand = (app: INestApplication) => app.useGlobalGuards(new RateLimitGuard(app.get(RateLimits)))

async function warnedOf(
  options: object,
  parts: ModuleMetadata,
  before?: (app: INestApplication) => unknown,
): Promise<readonly string[]> {
  const warned: string[] = []
  const observers = [{ warned: ({ code }: { readonly code: string }) => void warned.push(code) }]
  const logger = { warn() {}, error() {} }
  const imports = [RateLimitModule.forRoot(still({ ...options, observers, logger }))]
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
  ]
  it.each(rows)('%s', async (_, options, parts, warns) => {
    expect(await warnedOf(options, parts)).toEqual(warns ? ['SLUICE_NO_GUARD'] : [])
  })

  it('a guard that is made by hand', async () => {
    expect(await warnedOf({ policy }, { controllers: [Plain] }, byHand)).toEqual([])
  })
})

it('no options at all', async () => {
  const options = undefined as never
  @Module({ imports: [RateLimitModule.forRoot(options)] })
  class SiteModule {}
  await expect(listening(onExpress, SiteModule)).rejects.toThrow('options: expected an object of options')
})
