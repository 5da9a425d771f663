import type { Server } from 'node:http'
import type { Options, Running, Site } from './site.ts'

/** A server of Node's own that listens where a site says, and how it is closed. */
export async function listening(
  server: Server,
  listen: Site['listen'],
): Promise<Pick<Running, 'server' | 'close'>> {
  await new Promise<void>((resolve) => server.listen(listen, resolve))
  return { server, close: () => new Promise<void>((resolve) => server.close(() => resolve())) }
}

/** A site's limiters: options that stand in it twice are one limiter. */
export function limitersBy<Limiter>(make: (options: Options) => Limiter): {
  readonly handles: ReadonlyMap<Options, Limiter>
  readonly limiterOf: (options: Options) => Limiter
} {
  const handles = new Map<Options, Limiter>()
  const limiterOf = (options: Options) => {
    const limiter = handles.get(options) ?? make(options)
    handles.set(options, limiter)
    return limiter
  }
  return { handles, limiterOf }
}
