import type { Exchange } from '../exchange.ts'

/** The exchanges of each caller that asks more than once. */
export function byKey(exchanges: readonly Exchange[]): ReadonlyMap<string, readonly Exchange[]> {
  const found = new Map<string, Exchange[]>()
  for (const exchange of exchanges) {
    if (exchange.caller === 'first-time') continue
    const known = found.get(exchange.key)
    if (known === undefined) found.set(exchange.key, [exchange])
    else known.push(exchange)
  }
  return found
}
