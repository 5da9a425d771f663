import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * A middleware of Express for any route. Its types say no more of a request than Node does, so that a route's own parameters, body and
 * query, or those that Express reads from the route's path, stay what they are in the handlers behind it.
 *
 * What a user calls returns `(...given: Parameters<AnyRouteMiddleware>) => void`, in which the compiler finds Node's types alone: under pnpm
 * a program that exports such a middleware cannot name a type of this package.
 */
export type AnyRouteMiddleware = (
  req: IncomingMessage,
  res: ServerResponse,
  next: (thrown?: unknown) => void,
) => void
