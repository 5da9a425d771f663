import type { ExecutionContext } from '@nestjs/common'
import type { RequestView } from '@sluice/http'
import { factsIn } from '@sluice/http/internal'

/**
 * Where a call goes: its class and handler, whose metadata of other decorators Nest's `Reflector` reads. For the options that get a
 * `view`: `key`, `cost`, `skip` and `policy`. undefined where a key is asked for outside of a call, as by `keyOf`.
 *
 * @example
 * policy: (req, view) => plans[reflector.get('plan', contextOf(view)?.getHandler() ?? (() => {})) ?? 'free']
 */
export function contextOf(view: RequestView): ExecutionContext | undefined {
  const facts = factsIn(view)
  // The view of a guard's gate has a context; that of another adapter has none.
  return facts !== undefined && 'context' in facts
    ? (facts.context as ExecutionContext | undefined)
    : undefined
}
