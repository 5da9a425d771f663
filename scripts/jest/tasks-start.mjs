import packFirst from './packed-start.mjs'
import startRedis from './redis-start.mjs'

/** jest's global set-up: the tarballs of the packages, and a Redis server for each worker. */
export default async function startBoth(config) {
  await packFirst()
  await startRedis(config)
}
