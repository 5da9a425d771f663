import type { Gate } from './gate.ts'
import type { Handle } from './options.ts'
import type { RequestFacts } from './view.ts'

/** A middleware that carries its limiter, the keys of a request and its own decision. */
export function withHandle<M extends object, Req extends object, N extends string>(
  middleware: M,
  gate: Gate<Req>,
  factsOf: (request: Req) => RequestFacts,
): M & Handle<Req, N> {
  const handle = {
    limiter: gate.limiter,
    keyOf: (request: Req) => gate.keyOf(request, factsOf(request)),
    decisionFor: (request: Req) => gate.decisionFor(request),
  } as unknown as Handle<Req, N> // the gate was made from options of these names
  return Object.assign(middleware, handle)
}
