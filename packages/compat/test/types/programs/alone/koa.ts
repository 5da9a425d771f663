// The native adapter, with a state of Koa's and with one of the application's.
import type { Decision } from '@sluice/core'
import { rateLimit } from '@sluice/koa'
import Koa, { type Context } from 'koa'

const app = new Koa()
app.use(rateLimit({ policy: undefined as never }))
app.use((ctx) => {
  const decision: Decision | undefined = ctx.state.rateLimit
  // @ts-expect-error no such member
  ctx.body = [decision?.remaining, ctx.state.rateLimit?.used]
})
export const left = (ctx: Context): number | undefined => ctx.state.rateLimit?.remaining

const own = new Koa<{ user: string }>()
own.use(rateLimit({ policy: undefined as never }))
own.use((ctx) => {
  ctx.body = [ctx.state.user.length, ctx.state.rateLimit?.remaining]
})
