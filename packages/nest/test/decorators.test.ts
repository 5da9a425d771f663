import { describe, expect, it } from '@jest/globals'
import { Controller, Get } from '@nestjs/common'
import type { Decision } from '@sluice/core'
import { fixedWindow, memoryStore } from '@sluice/core'
import { RateLimit, RateLimitDecision, RateLimits, SkipRateLimit } from '../src/index.ts'
import { guarded, platforms, still } from './serve.ts'

const per = (limit: number) => fixedWindow({ limit, window: '1d' })

@Controller()
class Zoo {
  @Get('tigers')
  tigers(): string {
    return 'tigers'
  }

  @RateLimit({ policy: per(5) })
  @Get('login')
  login(): string {
    return 'welcome'
  }

  @RateLimit({ policy: per(5), inherit: true })
  @Get('export')
  export(): string {
    return 'soon'
  }

  @SkipRateLimit()
  @Get('health')
  health(): string {
    return 'fine'
  }

  @RateLimit({ policy: per(7), name: 'shared' })
  @Get('one')
  one(): string {
    return 'one'
  }

  @RateLimit({ policy: per(7), name: 'shared' })
  @Get('two')
  two(): string {
    return 'two'
  }

  @RateLimit({ cost: 3 })
  @Get('dear')
  dear(): string {
    return 'dear'
  }

  @RateLimit({ policy: per(3), name: 'long' })
  @RateLimit({ policy: per(2), name: 'short' })
  @Get('both')
  both(@RateLimitDecision() decision: Decision | null): unknown {
    return decision?.limiter
  }
}

@RateLimit({ policy: per(4) })
@Controller('shop')
class Shop {
  @Get('hats')
  hats(): string {
    return 'hats'
  }

  @Get('maps')
  maps(): string {
    return 'maps'
  }

  @RateLimit({ policy: per(9) })
  @Get('till')
  till(): string {
    return 'till'
  }
}

@Controller('annex')
class Annex extends Shop {}

@SkipRateLimit()
@Controller('staff')
class Staff {
  @Get('door')
  door(@RateLimitDecision() decision: Decision | null): unknown {
    return { decision }
  }

  @RateLimit()
  @Get('desk')
  desk(): string {
    return 'desk'
  }
}

const controllers = [Zoo, Shop, Annex, Staff]

const five = per(5)

@Controller('named')
class Named {
  @Get('plain')
  plain(): string {
    return 'plain'
  }

  @RateLimit({ inherit: true, policies: { short: five } })
  @Get('changed')
  changed(@RateLimitDecision() decision: Decision | null): unknown {
    return Object.entries(decision?.verdicts ?? {}).map(([name, verdict]) => `${name} ${verdict?.remaining}`)
  }

  @SkipRateLimit('short')
  @Get('skipped')
  skipped(@RateLimitDecision() decision: Decision | null): unknown {
    return Object.entries(decision?.verdicts ?? {}).map(([name, verdict]) => `${name} ${verdict?.remaining}`)
  }

  @SkipRateLimit('short')
  @RateLimit({ cost: 3 })
  @Get('dear')
  dear(): string {
    return 'dear'
  }

  @SkipRateLimit('short', 'long')
  @Get('free')
  free(): string {
    return 'free'
  }
}

describe.each(platforms)('one of several policies by name on %s', (_, platform) => {
  const policies = { short: per(20), long: per(100) }
  const site = () => guarded(platform, still({ policies }), { controllers: [Named] })

  it('is changed by RateLimit for a handler, which keeps the others and their counts', async () => {
    const { get, rows } = await site()
    expect(await rows('/named/plain')).toEqual(['19/20'])
    expect(await (await get('/named/changed')).json()).toEqual(['long 98', 'short 4'])
    // The module's own count of `short` was not touched.
    expect(await rows('/named/plain')).toEqual(['18/20'])
  })

  it('is skipped by SkipRateLimit, and the others count on', async () => {
    const { get, rows } = await site()
    expect(await (await get('/named/skipped')).json()).toEqual(['long 99'])
    expect(await rows('/named/plain', '/named/dear')).toEqual(['19/20', '95/100'])
    expect(await rows('/named/free', '/named/plain')).toEqual(['null/null', '18/20'])
  })

  it('stops the application where there is none of that name, or nothing to skip', async () => {
    class Wrong {
      find(): string {
        return ''
      }
    }
    SkipRateLimit('shrot')(
      Wrong.prototype,
      'find',
      Object.getOwnPropertyDescriptor(Wrong.prototype, 'find') ?? {},
    )
    Get('wrong')(Wrong.prototype, 'find', Object.getOwnPropertyDescriptor(Wrong.prototype, 'find') ?? {})
    Controller()(Wrong)
    await expect(guarded(platform, still({ policies }), { controllers: [Wrong] })).rejects.toThrow(
      '@SkipRateLimit on Wrong.find: without.shrot: expected the name of a policy (did you mean "short"?)',
    )
  })
})

describe.each(platforms)('decorators on %s', (_, platform) => {
  // biome-ignore format: a table
  const rows = [
    // title                                                          paths                                                     what each request sees
    ["of a handler: in place of the module's, with a count of its own", ['/tigers', '/login', '/login', '/tigers'],             ['99/100', '4/5', '3/5', '98/100']],
    ['inherit: both in one step',                                     ['/export', '/export', '/tigers'],                        ['4/5', '3/5', '97/100']],
    ['SkipRateLimit: no count',                                       ['/health', '/tigers'],                                   ['null/null', '99/100']],
    ['one name: one count',                                           ['/one', '/two', '/one'],                                 ['6/7', '5/7', '4/7']],
    ["without a policy: the module's count",                          ['/tigers', '/dear', '/tigers'],                          ['99/100', '96/100', '95/100']],
    ['several on one handler: each must allow',                       ['/both', '/both', '/both'],                              ['1/2', '0/2', '429']],
    ['of a controller: all its handlers together',                    ['/shop/hats', '/shop/maps', '/shop/hats'],               ['3/4', '2/4', '1/4']],
    ["a handler's in place of its controller's",                      ['/shop/till', '/shop/hats'],                             ['8/9', '3/4']],
    ['inherited from a class: counted apart',                         ['/shop/hats', '/annex/hats', '/annex/till'],             ['3/4', '3/4', '8/9']],
    ['SkipRateLimit of a class, but for a handler with RateLimit',    ['/staff/door', '/staff/desk'],                           ['null/null', '99/100']],
  ] as const
  it.each(rows)('%s', async (_title, paths, expected) => {
    const site = await guarded(platform, still({ policy: per(100) }), { controllers })
    expect(await site.rows(...paths)).toEqual(expected)
  })

  it('RateLimitDecision: the binding decision, null where nothing was counted', async () => {
    const site = await guarded(platform, still({ policy: per(100) }), { controllers })
    expect(await (await site.get('/both')).text()).toBe('short')
    expect(await (await site.get('/staff/door')).json()).toEqual({ decision: null })
  })

  it('global: false limits decorated handlers only', async () => {
    @Controller()
    class Park {
      @Get('park')
      park(): string {
        return 'park'
      }
    }
    const site = await guarded(platform, still({ global: false }), { controllers: [Park, Shop] })
    expect(await site.rows('/park', '/shop/hats')).toEqual(['null/null', '3/4'])
  })

  it('global: false begins without its store', async () => {
    const store = Object.assign(memoryStore(), { ready: () => Promise.reject(new Error('away')) })
    const site = await guarded(platform, { global: false, store }, { controllers: [Shop] })
    expect(await site.rows('/shop/hats')).toEqual(['3/4'])
  })

  it('RateLimits: the limiter and the key of a handler, to forget its count', async () => {
    const site = await guarded(platform, still({ policy: per(100) }), { controllers })
    const key = '127.0.0.1'
    await site.rows('/login', '/shop/hats', '/tigers')
    const limits = site.app.get(RateLimits)
    const left = async (...of: Parameters<RateLimits['handleOf']>) =>
      (await limits.handleOf(...of).limiter.peek(key)).remaining
    expect([await left(Zoo, 'login'), await left(Shop), await left(Shop, 'hats'), await left()]).toEqual([
      4, 3, 3, 99,
    ])
    await limits.handleOf(Zoo, 'login').limiter.reset(key)
    expect(await site.rows('/login')).toEqual(['4/5'])
    expect(() => limits.handleOf(Zoo, 'health')).toThrow('a handler that has a limit')
  })
})
