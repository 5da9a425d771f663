// What users of koa-ratelimit declare themselves, which sets it where it refuses.
import { ratelimit as face } from '@sluice/compat/koa-ratelimit'
import { rateLimit } from '@sluice/koa'
import Koa from 'koa'

declare module 'koa' {
  interface DefaultState {
    rateLimit?: { after: number; id: string; message: string }
  }
}

const app = new Koa()
app.use(rateLimit({ policy: undefined as never }))
app.use(face({ driver: 'memory' }))
app.use((ctx) => {
  const after: number | undefined = ctx.state.rateLimit?.after
  // @ts-expect-error what Sluice says
  ctx.body = [after, ctx.state.rateLimit?.remaining]
})
