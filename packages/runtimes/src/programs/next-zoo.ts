import { rateLimit } from '@sluice/fetch/next'
import { zooOf } from '../zoo.ts'

/** Nobody tells a route handler the address: each stands for the one proxy in front. */
export const answer: ReturnType<typeof zooOf> = zooOf(
  (options) => rateLimit<string>({ ...options, ip: () => undefined, proxies: 1 }) as never,
)
