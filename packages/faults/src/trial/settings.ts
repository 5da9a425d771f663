export const frameworks = ['express', 'fastify', 'koa'] as const
export type Framework = (typeof frameworks)[number]

/** Where the servers listen, and the one proxy that they trust. */
export const host = '127.0.0.1'

/** The number of processes of each framework. */
export const processes = 2

/** The numbers of a limit; the servers have each limit under a path of its name. */
export interface Rule {
  readonly limit: number
  readonly windowMs: number
}

export type RuleName = 'hour' | 'second'

export const rules: Readonly<Record<RuleName, Rule>> = {
  /** Longer than any trial: nothing that it has admitted is free again. */
  hour: { limit: 20, windowMs: 3_600_000 },
  /** So short that a trial sees whether it is exact again. */
  second: { limit: 10, windowMs: 1000 },
}

export type OnStoreFailure = 'local' | 'allow' | 'deny'

/** Options in which a server may differ from a program that only says where Redis is. */
export interface Choices {
  /** @default 'local' */
  readonly onStoreFailure?: OnStoreFailure
  /** Whether the application makes its own client, of ioredis and with nothing but the URL. @default false */
  readonly ownClient?: boolean
}

/** The settings that a server program is started with, as JSON. */
export interface ServerSettings extends Choices {
  readonly framework: Framework
  readonly redis: string
}
