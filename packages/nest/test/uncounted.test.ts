import { describe, expect, it } from '@jest/globals'
import { type CanActivate, Controller, Get, type Type } from '@nestjs/common'
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js'
import { fixedWindow } from '@sluice/core'
import { RateLimit, RateLimitGuard, RateLimits, rateLimitGuard, SkipRateLimit } from '../src/index.ts'
import { guarded, still } from './serve.ts'
import { onExpress } from './start.ts'

const policy = fixedWindow({ limit: 1, window: '1d' })

@Controller()
class Orders {
  order(): void {}

  @RateLimit({ policy, key: () => 'everybody' })
  @Get('own')
  own(): void {}

  @SkipRateLimit()
  @Get('skipped')
  skipped(): void {}
}

function noting(): { readonly warned: string[]; readonly options: object } {
  const warned: string[] = []
  const note = ({ code, message }: { readonly code: string; readonly message: string }) =>
    void warned.push(`${code}: ${message}`)
  return { warned, options: { observers: [{ warned: note }], logger: { warn() {}, error() {} } } }
}

/** Asks a guard about one message of a microservice. */
async function pass(guard: CanActivate, method: 'order' | 'own' | 'skipped'): Promise<unknown> {
  const context = new ExecutionContextHost(['data'], Orders as Type, Orders.prototype[method])
  context.setType('rpc')
  return await guard.canActivate(context)
}

describe('messages of microservices', () => {
  it('pass the guard of all handlers, which warns once of each limit that does not count them', async () => {
    const { warned, options } = noting()
    const { app } = await guarded(onExpress, still({ policy, ...options }), { controllers: [Orders] })
    const guard = new RateLimitGuard(app.get(RateLimits))
    expect(await pass(guard, 'skipped')).toBe(true)
    expect(warned).toEqual([])
    for (const method of ['order', 'order', 'own', 'own'] as const)
      expect(await pass(guard, method)).toBe(true)
    expect(warned).toEqual([
      expect.stringContaining('SLUICE_UNCOUNTED: a guard lets Orders.order pass without counting'),
      expect.stringContaining('SLUICE_UNCOUNTED: a guard lets Orders.own pass without counting'),
    ])
    expect(warned[0]).toContain('"rpc"')
  })

  it('pass a guard of its own, which warns once', async () => {
    const { warned, options } = noting()
    const guard = rateLimitGuard(still({ policy, key: () => 'everybody', ...options }))
    expect(await pass(guard, 'order')).toBe(true)
    expect(await pass(guard, 'order')).toBe(true)
    expect(warned).toEqual([expect.stringContaining('SLUICE_UNCOUNTED')])
  })
})
