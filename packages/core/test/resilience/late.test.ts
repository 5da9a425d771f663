import { afterEach, beforeEach, expect, it, jest } from '@jest/globals'
import {
  createLimiter,
  fixedWindow,
  gcra,
  type Policy,
  type Question,
  slidingWindowLog,
} from '../../src/index.ts'
import { guard } from '../../src/resilience/guard.ts'
import { readGuardOptions } from '../../src/resilience/guard-options.ts'
import { quiet, Server } from './server.ts'

let server: Server
beforeEach(() => {
  jest.useFakeTimers()
  server = new Server()
})
afterEach(() => {
  jest.clearAllTimers()
  jest.useRealTimers()
})

/** A process that hears each answer after its callers have been answered, and another one, which hears it at once. */
function processes(policy: Policy<'penalize'>) {
  const store = server.store()
  const answer = async (question: Question) => {
    const rows = await store.answer(question)
    await new Promise((resolve) => setTimeout(resolve, 150))
    return rows
  }
  const slow = createLimiter({
    policy,
    store: guard({ ...store, answer }, readGuardOptions({}), server.clock),
    logger: quiet,
  })
  return { slow, quick: createLimiter({ policy, store, logger: quiet }) }
}

// biome-ignore format: a table
it.each<[string, Policy<'penalize'>]>([
  ['fixedWindow',      fixedWindow({ limit: 3, window: '10s' })],
  ['slidingWindowLog', slidingWindowLog({ limit: 3, window: '10s' })],
  ['gcra',             gcra({ count: 3, period: '30s' })],
])('a refusal that comes late is kept for those who ask afterwards: %s', async (_strategy, policy) => {
  const { slow, quick } = processes(policy)
  await quick.penalize('k', 3)
  const decisions: string[] = []
  for (let i = 0; i < 2; i++) {
    const asked = slow.check('k')
    await server.pass(200)
    const { allowed, source } = await asked
    decisions.push(`${allowed} by ${source}`)
  }
  expect(decisions).toEqual(['true by fallback', 'false by fallback'])
})

it('an answer that comes late and allows keeps nothing', async () => {
  const { slow, quick } = processes(fixedWindow({ limit: 3, window: '10s' }))
  const asked = slow.check('k')
  await server.pass(200)
  expect(await asked).toMatchObject({ allowed: true, source: 'fallback', remaining: 2 })
  expect(await quick.peek('k')).toMatchObject({ remaining: 3 })
})
