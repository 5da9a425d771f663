import { expect, it } from '@jest/globals'
import { gcra } from '@sluice/core'
import type { H3Event } from 'h3'
import type { H3Event as H3Event1 } from 'h3-1'
import * as bun from '../src/bun.ts'
import * as h3 from '../src/h3.ts'
import * as bare from '../src/index.ts'
import * as next from '../src/next.ts'
import * as sveltekit from '../src/sveltekit.ts'
import * as workers from '../src/workers.ts'

const policy = gcra({ count: 100, period: '1m' })

interface Cookies {
  get(name: string): { readonly value: string } | undefined
}
/** As `NextRequest` and `BunRequest`. */
interface RequestWithCookies extends Request {
  readonly cookies: Cookies
}
/** As SvelteKit's `RequestEvent`. */
interface RequestEvent extends sveltekit.KitEvent {
  readonly cookies: Cookies
}

declare global {
  namespace App {
    interface Locals {
      user?: { readonly id: string } | undefined
    }
  }
}

it('functions of options take the request as the platform types it', () => {
  const key = ({ cookies }: RequestWithCookies) => cookies.get('session')?.value
  const taken = [
    next.rateLimit({ policy, ip: () => undefined, proxies: 1, key }),
    bun.rateLimit({ policy, key }),
    workers.rateLimit({ policy, key }),
    bare.rateLimit({ policy, ip: () => undefined, key }),
    h3.rateLimit({ policy, key: (event: H3Event) => event.url.host }),
    h3.rateLimit({ policy, key: (event: H3Event1) => event.context.user?.id }),
    sveltekit.rateLimit({ policy, key: ({ cookies }: RequestEvent) => cookies.get('session')?.value }),
    sveltekit.rateLimit({ policy, key: ({ locals }) => locals.user?.id }),
  ]
  expect(taken.map(({ limiter }) => limiter.policies.default)).toEqual(taken.map(() => policy))
})

it('an address may be what a header says, or null without it', async () => {
  const limit = bare.rateLimit({ policy, ip: ({ headers }) => headers.get('cf-connecting-ip') })
  expect(await limit.keyOf(new Request('http://zoo/'))).toBe('unknown')
})

it('what is missing is said with what to write', () => {
  expect(() => bare.rateLimit({ policy } as never)).toThrow('with () => undefined and proxies: 1')
  const limit = bare.rateLimit({ policy, ip: () => undefined })
  expect(() => limit({ req: new Request('http://zoo/') } as never)).toThrow('as @sluice/fetch/hono')
})
