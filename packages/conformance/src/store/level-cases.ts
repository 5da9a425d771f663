import {
  createLimiter,
  type GcraOptions,
  gcra,
  type Question,
  type StoreRow,
  type Summary,
} from '@sluice/core'
import { expect } from '../runner.ts'
import { ask, checkOf, freshKey } from './asking.ts'
import type { StoreCase } from './case.ts'
import { baseUs, type StoreUnderTest } from './under-test.ts'
import { readVectorFile } from './vectors.ts'

/** A burst against a user's limit and that of one of his actions; the levels as limited/remaining/retry/reset, then five numbers. */
interface Levels {
  readonly title: string
  readonly charge: Question['charge']
  readonly policies: { readonly user: GcraOptions; readonly trade: GcraOptions }
  readonly rows: readonly (readonly [atMs: number, levels: string, summary: Summary])[]
}

function levelText({ allowed, remaining, retryAfterUs, resetAfterUs }: StoreRow): string {
  return `${allowed ? 0 : 1}/${remaining}/${allowed ? -1 : retryAfterUs}/${resetAfterUs}`
}

const silent = { warn() {}, error() {} }

async function runLevels(
  { store, setClock }: StoreUnderTest,
  { charge, policies, rows }: Levels,
): Promise<void> {
  const user = gcra(policies.user)
  const trade = gcra(policies.trade)
  const key = freshKey()
  const checks = [checkOf(user, key, { id: 'suite:user:gc' }), checkOf(trade, key, { id: 'suite:trade:gc' })]
  const limiter = createLimiter({
    name: freshKey(),
    store,
    charge,
    policies: { user, trade },
    logger: silent,
  })
  const seen: unknown[] = []
  for (const [atMs] of rows) {
    await setClock(baseUs + atMs * 1000)
    const levels = await ask(store, checks, { charge })
    const { summary } = await limiter.check(key)
    seen.push([atMs, levels.map(levelText).join('; '), summary])
  }
  await limiter.close()
  expect(seen).toEqual(rows)
}

const { levels } = readVectorFile('gcra') as { readonly levels: readonly Levels[] } // every row is compared

export const levelCases: readonly StoreCase[] = levels.map((each) => ({
  about: 'gcra',
  title: `levels: ${each.title}`,
  run: (subject) => runLevels(subject, each),
}))
