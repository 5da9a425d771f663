import { createLimiter, redisStore } from '@sluice/core'
import type { Redis } from 'ioredis'
import { type CallKind, checks, manyKeys, names } from './calls.ts'
import { inChild } from './child.ts'
import { patient, wide } from './policies.ts'
import { countedRow, countedSection, type Section } from './section.ts'
import { silent } from './silent.ts'

export const waitingNames = {
  atOnce: 'GCRA, reserved, no wait',
  later: 'GCRA, reserved, to wait',
}
export const sleeperRows = { bytes: 'bytes of a sleeper', share: 'share of a core' }

/** Reservations that need not wait, and those that have to. */
export async function waitingKinds(client: Redis): Promise<readonly CallKind[]> {
  const store = redisStore(client)
  const kinds = [
    { name: waitingNames.atOnce, policy: wide.gcra, waits: false },
    { name: waitingNames.later, policy: patient, waits: true },
  ].map(({ name, policy, waits }): CallKind => {
    const limiter = createLimiter({ name, policy, store, logger: silent })
    return {
      name,
      command: 'evalsha',
      ask: (i) => limiter.reserve(manyKeys[i % manyKeys.length] ?? '', { maxWait: '300d' }),
      isRight(answer) {
        const { allowed, source, waitMs } = answer as Awaited<ReturnType<typeof limiter.reserve>> // what ask answers
        return source === 'redis' && allowed && waitMs > 0 === waits
      },
    }
  })
  // The first reservation of each key, which does not wait.
  for (const { ask } of kinds) for (let i = 0; i < manyKeys.length; i++) await ask(i)
  // The baseline of the same rounds.
  return [...kinds, checks(store, { name: names.gcra, policies: { default: wide.gcra } })]
}

/** Ten thousand sleeping callers, of which a thousand wake per second, in a separate process. */
export async function sleepers(): Promise<Section> {
  const [bytes = Number.NaN, share = Number.NaN] = JSON.parse(
    await inChild('sleepers-child.js', [], ['--expose-gc']),
  ) as number[] // what it prints
  const title = '10,000 sleepers, of which 1,000 wake a second'
  const rows = [countedRow(sleeperRows.bytes, bytes), countedRow(sleeperRows.share, share)]
  return countedSection({ id: 'sleepers', title, unit: 'each' }, rows)
}
