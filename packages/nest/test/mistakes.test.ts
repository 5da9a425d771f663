import { describe, expect, it } from '@jest/globals'
import { Controller, Get, type Type } from '@nestjs/common'
import { fixedWindow } from '@sluice/core'
import {
  RateLimit,
  RateLimitGuard,
  RateLimitModule,
  type RouteRateLimit,
  rateLimitGuard,
  SkipRateLimit,
} from '../src/index.ts'
import { guarded, still } from './serve.ts'
import { onExpress } from './start.ts'

const policy = fixedWindow({ limit: 5, window: '1d' })

function controllerWith(...options: readonly RouteRateLimit[]): Type {
  @Controller()
  class Login {
    @Get('login')
    login(): void {}
  }
  const method = Object.getOwnPropertyDescriptor(Login.prototype, 'login') ?? {}
  for (const each of options) RateLimit(each)(Login.prototype, 'login', method)
  return Login
}

class Plain {}

/** As the compiler calls a decorator of a member that is no method. */
function decorate(decorator: MethodDecorator, descriptor: unknown): void {
  decorator(Plain.prototype, 'field', descriptor as never)
}

function started(...controllers: readonly Type[]): Promise<unknown> {
  return guarded(onExpress, still({ policy: fixedWindow({ limit: 100, window: '1d' }) }), {
    controllers: [...controllers],
  })
}

describe('mistakes that an application does not start with', () => {
  // biome-ignore format: a table
  const rows = [
    // options                                              path                 expected
    [[{ polcy: policy } as RouteRateLimit],                 'polcy',             'policy'],
    [[{ policy, store: 'redis' } as RouteRateLimit],        'store',             '@RateLimit on Login.login: store'],
    [[{ policy, inherit: 1 } as unknown as RouteRateLimit], 'inherit',           'true or false'],
    [[undefined as unknown as RouteRateLimit, null as unknown as RouteRateLimit], '@RateLimit', 'options'],
    [[{ policy }, { policy }],                              'name',   'a name, as other limits are called Login.login'],
  ] as const
  it.each(rows)('%j: %s', async (options, path, expected) => {
    const error = await started(controllerWith(...options)).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'SLUICE_OPTION', path, message: expect.stringContaining(expected) })
  })

  it('a guard that the application makes itself', () => {
    const Guard = RateLimitGuard as unknown as new () => RateLimitGuard
    const error = expect.objectContaining({ code: 'SLUICE_OPTION', path: 'new RateLimitGuard()' })
    expect(() => new Guard()).toThrow(error)
  })

  it('two classes of one name, whose counts would be one', async () => {
    const error = started(controllerWith({ policy }), controllerWith({ policy }))
    await expect(error).rejects.toMatchObject({ code: 'SLUICE_OPTION', path: 'name' })
  })

  it('two classes of one name, each with a name for its count', async () => {
    await started(controllerWith({ policy, name: 'one' }), controllerWith({ policy, name: 'two' }))
  })

  it('RateLimit and SkipRateLimit on one handler', () => {
    const method = { value: () => {} }
    const skip = SkipRateLimit() as MethodDecorator
    skip({}, 'login', method)
    expect(() => RateLimit({ policy })({}, 'login', method)).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path: '@SkipRateLimit' }),
    )
  })

  // biome-ignore format: a table
  const wrong = [
    // decorator                         what it gets                               what is said
    ['@SkipRateLimit of @nestjs/throttler', () => SkipRateLimit({ short: true } as never),   "@SkipRateLimit: expected names of policies, @SkipRateLimit('short'), or nothing for all, got an object"],
    ['@SkipRateLimit of a constant that is not there', () => SkipRateLimit(undefined as never), '@SkipRateLimit: expected names of policies'],
    ['@SkipRateLimit without parentheses',  () => SkipRateLimit(Plain as never),             '@SkipRateLimit: expected names of policies'],
    ['@RateLimit without parentheses',      () => RateLimit(Plain as never),                 '@RateLimit: expected parentheses: @RateLimit({ policy }), got a function (Plain)'],
    ['rateLimitGuard with a second argument', () => (rateLimitGuard as (...given: unknown[]) => unknown)({ policy }, {}), 'arguments[1]: expected nothing, as all options are in the first, got an object'],
    ['the same on a method',                () => RateLimit(Plain.prototype as never),       '@RateLimit: expected parentheses'],
    ['@RateLimit on a property',            () => decorate(RateLimit({ policy }), undefined), '@RateLimit: expected a class or a method behind it, got "field" (string)'],
    ['@SkipRateLimit on a parameter',       () => decorate(SkipRateLimit(), 0),              '@SkipRateLimit: expected a class or a method behind it, got "field" (string)'],
  ] as const
  it.each(wrong)('%s', (_, make, message) => {
    const error = expect.objectContaining({
      code: 'SLUICE_OPTION',
      message: expect.stringContaining(message),
    })
    expect(make).toThrow(error)
  })

  // biome-ignore format: a table
  it.each<[string, unknown, string]>([
    ['nothing',                 undefined,                          'options: expected an object of options such as { imports: … }, got undefined'],
    ['the options of forRoot',  { policy },                         'policy: expected a known option (one of imports, inject, useFactory), got "policy" (string)'],
    ['a class of options',      { useClass: Plain },                'useClass: expected a known option (one of imports, inject, useFactory), got "useClass" (string)'],
    ['no function',             { imports: [] },                    'useFactory: expected a function that returns the options of forRoot, got undefined'],
    ['options in its place',    { useFactory: { policy } },         'useFactory: expected a function that returns the options of forRoot, got an object'],
  ])('forRootAsync with %s', (_title, options, message) => {
    expect(() => RateLimitModule.forRootAsync(options as never)).toThrow(new TypeError(message))
  })

  it('options of the module', async () => {
    const error = guarded(onExpress, { policy, global: 'yes' } as never, {})
    await expect(error).rejects.toMatchObject({ code: 'SLUICE_OPTION', path: 'global' })
  })
})
