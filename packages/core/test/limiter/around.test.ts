import { expect, it } from '@jest/globals'
import { createLimiter, fixedWindow, memoryStore, type Observed, type Store } from '../../src/index.ts'

const policy = fixedWindow({ limit: 5, window: '1h' })

/** What one limiter asks in place of its store: the calls that it gets, each answered by the store. */
function around(store: Store) {
  const calls: string[] = []
  const answering: Store = {
    name: store.name,
    answer(question) {
      calls.push(question.take ? 'answer' : 'look')
      return store.answer(question)
    },
    adjust(changes) {
      calls.push('adjust')
      return store.adjust(changes)
    },
    manage(command) {
      calls.push(command.op)
      return store.manage(command)
    },
    changed(checks, { act }) {
      calls.push(`${act} of ${checks.map(({ key }) => key).join()} elsewhere`)
    },
    health: () => ({ ...healthOf(store), ahead: { inHand: 3, decisions: 4 } }),
    async close() {
      calls.push('close')
    },
  }
  return { answering, calls }
}

function healthOf(store: Store) {
  const health = store.health?.()
  if (health === undefined) throw new Error('memory has a health')
  return health
}

/** A store that puts one around it for each limiter that asks for that. */
function scene() {
  const store = memoryStore()
  const closed: string[] = []
  const made: ReturnType<typeof around>[] = []
  const offering: Store = {
    name: store.name,
    can: store.can,
    answer: (question) => store.answer(question),
    adjust: (changes) => store.adjust(changes),
    manage: (command) => store.manage(command),
    health: () => healthOf(store),
    ahead(_aheadUs, { policies }) {
      const one = around(store)
      made.push(one)
      return { around: one.answering, policies }
    },
    close: async () => void closed.push('closed'),
  }
  return { offering, made, closed }
}

it('a limiter asks the store around its own for all that it asks, and hears of acts elsewhere by it', async () => {
  const { offering, made } = scene()
  const opened: Observed[] = []
  const observers = [{ limiterOpened: (limiter: Observed) => void opened.push(limiter) }]
  const limiter = createLimiter({ policy, store: offering, ahead: '20ms', observers })
  const decision = await limiter.check('bob')
  await limiter.peek('bob')
  await decision.settle?.(2)
  await limiter.penalize('bob', 1)
  await limiter.set('bob', 4)
  await limiter.inspect('bob')
  await limiter.block('bob', '1m')
  await limiter.unblock('bob')
  await limiter.reset('bob')
  const act = { act: 'block', limiter: 'default', policies: [], key: 'bob', atMs: 0 } as const
  for (const each of opened) each.relay?.(act, new Set())
  expect(limiter.health().ahead).toEqual({ inHand: 3, decisions: 4 })
  await limiter.close()
  const acts = ['set', 'inspect', 'block', 'unblock', 'reset', 'block of bob elsewhere', 'close']
  expect(made.map(({ calls }) => calls)).toEqual([['answer', 'look', 'adjust', 'adjust', ...acts]])
  // Where it counts is what others see of it.
  expect(opened.map(({ store }) => store)).toEqual([offering])
})

it('each limiter has a store of its own around one that they share, names among them, and closes nothing else', async () => {
  const { offering, made, closed } = scene()
  const open = () => createLimiter({ name: 'one', policy, store: offering, ahead: '20ms' })
  const limiters = [open(), open(), createLimiter({ name: 'one', policy, store: offering })]
  const other = () =>
    createLimiter({ name: 'one', policy: fixedWindow({ limit: 6, window: '1h' }), store: offering })
  expect(other).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', path: 'name' }))
  for (const limiter of limiters) await limiter.close()
  expect(made.map(({ calls }) => calls)).toEqual([['close'], ['close']])
  expect(closed).toEqual([])
})
