import type { FastifyRequest } from 'fastify'

/** By the kind of requests of an instance: all of one instance trust alike. */
const kinds = new WeakMap<object, boolean>()

/** More hops than anybody has proxies, of addresses that are for documentation only (RFC 5737). */
const chain = Array.from({ length: 40 }, (_, i) => `203.0.113.${i + 1}`)
const stranger = '198.51.100.1'

/** true where an instance takes whatever stands in X-Forwarded-For for the client. Fastify does not say so: a made-up request shows it. */
export function believesAnybody(request: FastifyRequest): boolean {
  const kind: object = Object.getPrototypeOf(request)
  let believes = kinds.get(kind)
  if (believes === undefined) {
    believes = addressOfStranger(kind) === chain[0]
    kinds.set(kind, believes)
  }
  return believes
}

function addressOfStranger(kind: object): unknown {
  const raw = { headers: { 'x-forwarded-for': chain.join(', ') }, socket: { remoteAddress: stranger } }
  try {
    return Reflect.get(Object.create(kind, { raw: { value: raw } }), 'ip')
  } catch {
    // A trust function of the program's own may know only its own addresses.
    return undefined
  }
}
