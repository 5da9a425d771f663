import { createClient, RESP_TYPES } from 'redis5'
import { type Connected, overNodeRedis } from './redis-under-test.ts'

/** Options that an owner may give a client for other calls: bytes for texts, and texts for numbers. */
const commandOptions = {
  typeMapping: {
    [RESP_TYPES.BLOB_STRING]: Buffer,
    [RESP_TYPES.SIMPLE_STRING]: Buffer,
    [RESP_TYPES.NUMBER]: String,
    [RESP_TYPES.DOUBLE]: String,
  },
} as const

/** A client of node-redis 5 that answers so. */
export function connectInBytes(url: string): Promise<Connected> {
  return overNodeRedis(createClient({ url, commandOptions }).on('error', () => {}))
}
