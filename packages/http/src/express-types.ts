import type { IncomingMessage, ServerResponse } from 'node:http'

/** A request of any route, as far as Node knows it. */
export type AnyRouteRequest = IncomingMessage

/**
 * A middleware of Express for any route. Its types say no more of a request than Node does, so that a route's own parameters, body and
 * query, or those that Express reads from the route's path, stay what they are in the handlers behind it.
 *
 * What a user calls writes it out, as `AnyRouteRequest` is Node's: under pnpm this package is out of reach of the declarations of a
 * program that exports such a middleware.
 */
export type AnyRouteMiddleware = (
  req: AnyRouteRequest,
  res: ServerResponse,
  next: (thrown?: unknown) => void,
) => void
