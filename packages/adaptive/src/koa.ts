import type { Next, ParameterizedContext } from 'koa'
import { Intake, type ShedOptions } from './intake.ts'
import { handled } from './passage.ts'

export type { ShedOptions } from './intake.ts'

// biome-ignore lint/suspicious/noExplicitAny: a middleware for applications of any state and context
type Context = ParameterizedContext<any, any, any>

/**
 * Load shedding for Koa 2 and 3: before all that is work, so before body parsers and rate limits.
 *
 * @example app.use(shed({ priority: (ctx) => (ctx.path === '/report' ? 'sheddable' : 'default') }))
 */
export function shed(options: ShedOptions<Context> = {}): (ctx: Context, next: Next) => Promise<void> {
  const intake = new Intake(options)

  return async function shed(ctx: Context, next: Next): Promise<void> {
    const answer = intake.enter(ctx, { headers: ctx.headers, response: ctx.res })
    if (answer !== undefined) {
      ctx.status = answer.status
      for (const [name, value] of answer.headers) ctx.set(name, value)
      ctx.body = answer.body
      return
    }
    try {
      await next()
    } finally {
      handled(ctx.res, ctx.respond === false)
    }
  }
}
