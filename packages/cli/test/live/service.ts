import { createLimiter, gcra, type Limiter, type Observer, type Policies, redisStore } from '@sluice/core'
import { operations } from '@sluice/operations'
import { Redis } from 'ioredis'

const quiet = { warn() {}, error() {} }

/** A running service: limiters of these names in Redis, with operations. */
export interface Service {
  readonly limiters: readonly Limiter<Policies>[]
  /** Tells Redis what it has. */
  tell(): Promise<void>
  close(): Promise<void>
}

export async function startService(
  port: number,
  {
    prefix = '',
    observers = [],
    names = ['login', 'tickets'],
    policies = { default: gcra({ count: 5, period: '1h' }) },
    changeable,
    password,
  }: {
    readonly prefix?: string
    readonly observers?: readonly Observer[]
    readonly names?: readonly string[]
    readonly policies?: Policies
    /** Limits that operations can change. */
    readonly changeable?: Policies
    readonly password?: string
  } = {},
): Promise<Service> {
  const client = new Redis({ port, ...(password !== undefined && { password }) })
  const ops = operations({ redis: client, prefix, service: 'shop', deadline: '20s' })
  if (changeable !== undefined) ops.limits(changeable)
  const store = redisStore(client, {
    prefix: `${prefix}counts:`,
    refusalCache: 0,
    deadline: '20s',
    connectDeadline: '20s',
  })
  const settings = { policies, store, observers: [ops, ...observers], logger: quiet }
  const limiters = names.map((name) => createLimiter({ name, ...settings }))
  await ops.ready()
  return {
    limiters,
    tell: () => ops.ready(),
    async close() {
      await Promise.all(limiters.map((limiter) => limiter.close()))
      await ops.close()
      await store.close()
      client.disconnect()
    },
  }
}
