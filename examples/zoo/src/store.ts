import { memoryStore, type RedisClient, redisStore, type Store } from '@sluice/core'

/** The Redis to use: none without a URL, a cluster with several. */
export function redisAt(urls: readonly string[]): RedisClient | undefined {
  return urls.length > 1 ? { cluster: urls.map(serverOf) } : urls[0]
}

/** In memory without Redis. */
export function openStore(redis: RedisClient | undefined): Store {
  return redis === undefined ? memoryStore() : redisStore(redis)
}

/** Where the zoo counts, for the terminal; `answers`: whether the store answers. */
export function countingWords(urls: readonly string[], answers: boolean): string {
  if (urls.length === 0) return 'counted in memory'
  // A URL may contain a password.
  const hosts = urls.map((url) => new URL(url).host).join(', ')
  const redis = `${urls.length === 1 ? 'Redis' : 'Redis Cluster'} at ${hosts}`
  return answers ? `counted in ${redis}` : `counted locally until ${redis} answers`
}

function serverOf(url: string): string {
  const { hostname, port } = new URL(url)
  return `${hostname}:${port || '6379'}`
}
