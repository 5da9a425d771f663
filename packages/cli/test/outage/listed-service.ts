// A service that says when a key is refused, or is not any more: by a list, or by a limit that was changed.
import { setTimeout } from 'node:timers/promises'
import { createLimiter, gcra } from '@sluice/core'
import { operations } from '@sluice/operations'

const ops = operations({ redis: process.argv[2] ?? '' })
const { policies } = ops.limits({ api: gcra({ count: 1_000_000, period: '1s' }) })
const limiter = createLimiter({ policies, observers: [ops], lists: [ops.lists] })

process.on('message', async ({ key, allowed }: { key: string; allowed: boolean }) => {
  while ((await limiter.check(key)).allowed !== allowed) await setTimeout(1)
  process.send?.(Number(process.hrtime.bigint()) / 1e6)
})
await Promise.all([limiter.ready(), ops.ready()])
process.send?.(0)
