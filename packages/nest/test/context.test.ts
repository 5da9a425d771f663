import { describe, expect, it } from '@jest/globals'
import { Controller, Get, SetMetadata } from '@nestjs/common'
import { Reflector } from '@nestjs/core'
import { type Decision, fixedWindow } from '@sluice/core'
import type { RequestView } from '@sluice/http'
import { contextOf, RateLimits } from '../src/index.ts'
import { guarded, platforms, still } from './serve.ts'

const plans = {
  free: fixedWindow({ limit: 2, window: '1d' }),
  paid: fixedWindow({ limit: 9, window: '1d' }),
}
const Plan = (name: keyof typeof plans) => SetMetadata('plan', name)
const reflector = new Reflector()

@Controller()
class Zoo {
  @Get('free')
  free(): string {
    return 'free'
  }

  @Plan('paid')
  @Get('paid')
  paid(): string {
    return 'paid'
  }
}

function planOf(view: RequestView): keyof typeof plans {
  const handler = contextOf(view)?.getHandler()
  return (handler && reflector.get<keyof typeof plans>('plan', handler)) ?? 'free'
}

describe.each(platforms)('contextOf on %s', (_, platform) => {
  it('shows functions of options which handler is called, and what its decorators say', async () => {
    const counted: unknown[] = []
    const options = still({
      observers: [{ decided: ({ key }: Decision) => void counted.push(key) }],
      policy: (_request: unknown, view: RequestView) => plans[planOf(view)],
      key: (_request: unknown, view: RequestView) => [contextOf(view)?.getClass().name ?? '', planOf(view)],
    })
    const site = await guarded(platform, options, { controllers: [Zoo] })
    expect(await site.rows('/free', '/paid', '/free', '/free')).toEqual(['1/2', '8/9', '0/2', '429'])
    expect(counted.slice(0, 2)).toEqual([
      ['Zoo', 'free'],
      ['Zoo', 'paid'],
    ])
  })

  it('is undefined where a key is asked for outside of a call', async () => {
    const seen: unknown[] = []
    const key = (_request: unknown, view: RequestView) => {
      seen.push(contextOf(view))
      return 'bob'
    }
    const site = await guarded(platform, still({ policy: plans.free, key }), { controllers: [Zoo] })
    const request = { method: 'GET', headers: {}, ip: '192.0.2.1', socket: {} }
    expect(await site.app.get(RateLimits).handleOf().keyOf(request)).toBe('bob')
    expect(seen).toEqual([undefined])
  })
})

it('is undefined for a view that no guard has made', () => {
  const view = { method: 'GET', route: '/', address: undefined, network: 'unknown', header: () => undefined }
  expect(contextOf(view)).toBeUndefined()
})
