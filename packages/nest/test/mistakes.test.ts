import { describe, expect, it } from '@jest/globals'
import { Controller, Get, type Type } from '@nestjs/common'
import { fixedWindow } from '@sluice/core'
import { RateLimit, type RouteRateLimit, SkipRateLimit } from '../src/index.ts'
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

  it('options of the module', async () => {
    const error = guarded(onExpress, { policy, global: 'yes' } as never, {})
    await expect(error).rejects.toMatchObject({ code: 'SLUICE_OPTION', path: 'global' })
  })
})
