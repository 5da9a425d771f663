import type { ExecutionContext } from '@nestjs/common'
import type { RequestGate } from './options.ts'

const warned = new WeakSet<RequestGate['limiter']>()

/** Lets a call pass that has neither request nor socket, such as a microservice's message, and warns once of a limit that lies on it. */
export function passUncounted({ limiter }: RequestGate, context: ExecutionContext): true {
  if (!warned.has(limiter)) {
    warned.add(limiter)
    const call = `${context.getClass().name}.${context.getHandler().name}`
    limiter.warned?.({
      code: 'SLUICE_UNCOUNTED',
      message: `a guard lets ${call} pass without counting, as its calls are of the kind "${context.getType()}": call limiter.check in the handler, or mark it with @SkipRateLimit() if it needs no limit`,
    })
  }
  return true
}
