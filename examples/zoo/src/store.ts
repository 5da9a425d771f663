import { memoryStore, redisStore, type Store } from '@sluice/core'

/** In memory without a URL, on a cluster with several. */
export function openStore(urls: readonly string[]): Store {
  const [url, ...others] = urls
  if (url === undefined) return memoryStore()
  return others.length === 0 ? redisStore(url) : redisStore({ cluster: urls.map(serverOf) })
}

/** Where it counts, for whoever has started the zoo; `answers`: the store is there. */
export function countingWords(urls: readonly string[], answers: boolean): string {
  if (urls.length === 0) return 'counted in memory'
  // A URL may hold a password.
  const hosts = urls.map((url) => new URL(url).host).join(', ')
  const redis = `${urls.length === 1 ? 'Redis' : 'Redis Cluster'} at ${hosts}`
  return answers ? `counted in ${redis}` : `counted locally until ${redis} answers`
}

function serverOf(url: string): string {
  const { hostname, port } = new URL(url)
  return `${hostname}:${port || '6379'}`
}
