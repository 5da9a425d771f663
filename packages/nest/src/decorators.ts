import { createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common'
import { Reflector } from '@nestjs/core'
import type { Decision } from '@sluice/core'
import { optionError } from '@sluice/core/internal'
import { decisionOf } from './calls.ts'
import type { RouteRateLimit } from './options.ts'

/** The limits that decorators declare for a class or a method. */
export interface Limits {
  readonly skipped: boolean
  /** The policies of the module that are skipped, while its others apply. */
  readonly without: readonly string[]
  /** The first one is asked first. */
  readonly own: readonly RouteRateLimit[]
}

const key = 'sluice:rate-limit'
/** The limits by the class or method that is decorated: metadata would also show those that a class inherits. */
const declared = new WeakMap<object, Limits>()
const reflector = new Reflector()

/** The limits of a class or a method, declared on itself or on a class above. */
export function limitsOf(target: object): Limits | undefined {
  return reflector.get(key, target as () => unknown) // a class or a method
}

function declare(target: object, add: (before: Limits) => Limits): void {
  const limits = add(declared.get(target) ?? { skipped: false, without: [], own: [] })
  if (limits.skipped && limits.own.length > 0)
    throw optionError('@SkipRateLimit', 'no @RateLimit on the same class or method', limits.own[0])
  declared.set(target, limits)
  SetMetadata(key, limits)(target as () => unknown) // as above
}

function decorator(by: string, add: (before: Limits) => Limits): ClassDecorator & MethodDecorator {
  return (target: object, name?: string | symbol, descriptor?: { readonly value?: unknown }) => {
    const decorated = descriptor?.value ?? target
    // Nothing would ever ask for the limits of a property or a parameter.
    if (typeof decorated !== 'function') throw optionError(by, 'a class or a method behind it', name)
    declare(decorated, add)
  }
}

/** Whether a decorator was written without parentheses: then it gets what is decorated. */
function isDecorated(given: unknown): boolean {
  return typeof given === 'function' || Object.hasOwn(Object(given), 'constructor')
}

/**
 * Limits of a handler, a controller, a resolver or a gateway, for a `RateLimitGuard`: in place of the module's, or in addition to
 * them with `inherit: true`. They count where they are written: on a class all its handlers together, on a method that one, under a
 * `name` all that share it. A method's decorators replace its class's. Of several on one class or method, each must allow.
 *
 * Without options, the module's limits hold, also in a class with `@SkipRateLimit`.
 *
 * @example
 * @RateLimit({ policy: fixedWindow({ limit: 5, window: '1m' }) })
 * @Post('login')
 * login() {}
 */
export function RateLimit(options: RouteRateLimit = {}): ClassDecorator & MethodDecorator {
  if (isDecorated(options)) throw optionError('@RateLimit', 'parentheses: @RateLimit({ policy })', options)
  return decorator('@RateLimit', (before) => ({ ...before, own: [options, ...before.own] }))
}

/**
 * No limits for a handler or a class: neither the module's nor, on a method, those of its class. With names, of the module's policies
 * those alone do not apply. Other guards are not concerned.
 *
 * @example
 * @SkipRateLimit('short') // of policies: { short: …, long: … }
 */
export function SkipRateLimit(...policies: readonly string[]): ClassDecorator & MethodDecorator {
  const by = '@SkipRateLimit'
  for (const policy of policies) {
    if (typeof policy !== 'string')
      throw optionError(by, "names of policies, @SkipRateLimit('short'), or nothing for all", policy)
  }
  if (policies.length === 0) return decorator(by, (before) => ({ ...before, skipped: true }))
  return decorator(by, (before) => ({ ...before, without: [...before.without, ...policies] }))
}

/**
 * The binding decision of a request, of a field of GraphQL or of a message whose data is an object, for a parameter of its handler:
 * null where nothing was counted.
 *
 * @example
 * find(@RateLimitDecision() decision: Decision | null) {}
 */
export const RateLimitDecision: () => ParameterDecorator = createParamDecorator(
  (_: unknown, context: ExecutionContext): Decision | null => {
    switch (context.getType<string>()) {
      case 'http':
        return context.getArgByIndex(0).rateLimit ?? null
      case 'graphql':
        return decisionOf(context.getArgByIndex(3))
      default:
        return decisionOf(context.getArgByIndex(1))
    }
  },
)
