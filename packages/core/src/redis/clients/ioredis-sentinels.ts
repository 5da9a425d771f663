import type { RedisOptions, SentinelConnectionOptions, SentinelConnector } from 'ioredis'

/** Makes the client that asks one Sentinel, once. */
interface SentinelClient {
  connectToSentinel(endpoint: object, options?: object): unknown
}

/**
 * ioredis gives each client that has asked a Sentinel two seconds to go, in which a process cannot end, and has no option for it:
 * here they go after so long.
 */
export function leavingAfter(
  disconnectTimeout: number,
  connector: typeof SentinelConnector,
): NonNullable<RedisOptions['Connector']> {
  return class extends connector {
    constructor(options: unknown) {
      super(options as SentinelConnectionOptions) // a client hands over its own options
      const asker = this as unknown as SentinelClient // hidden by its type alone, in 5 and 6
      const connect = asker.connectToSentinel.bind(asker)
      asker.connectToSentinel = (endpoint, more) => connect(endpoint, { ...more, disconnectTimeout })
    }
  }
}
