import { expect, it } from '@jest/globals'
import { createLimiter, fixedWindow, guardedStore, memoryStore, type Store } from '../src/index.ts'

const policy = fixedWindow({ limit: 2, window: '10s' })

/** What is logged of a store whose every error has this message. */
async function saidOf(message: string): Promise<string[]> {
  const said: string[] = []
  const keep = (line: string) => void said.push(line)
  const fail = () => Promise.reject(new Error(message))
  const store: Store = {
    ...memoryStore(),
    name: 'mine',
    answer: fail,
    adjust: fail,
    manage: fail,
    close: async () => {},
  }
  const limiter = createLimiter({ policy, store: guardedStore(store), logger: { warn: keep, error: keep } })
  await limiter.check('bob')
  return said
}

// biome-ignore format: a table
it.each([
  // a foreign error says              its line ends
  ['no answer',                        'no answer'],
  ['no\r\n[sluice] all is well',       String.raw`no\u{d}\u{a}[sluice] all is well`],
  ['\u001b[2J\u009b2J',                String.raw`\u{1b}[2J\u{9b}2J`],
  ['a\u2028b\u2029c',                  String.raw`a\u{2028}b\u{2029}c`],
  ['\u202eklaw\ud83d',                 String.raw`\u{202e}klaw\u{d83d}`],
  ['Füttern 虎 \u{1f405}',             'Füttern 虎 \u{1f405}'],
])('a line of the log is one line: %j', async (message, shown) => {
  expect(await saidOf(message)).toEqual([`[sluice] the store mine failed: ${shown}`])
})

it('a line of the log is no longer than a thousand characters', async () => {
  const [line = ''] = await saidOf('x'.repeat(100_000))
  expect([line.length, line.at(-1)]).toEqual([1001, '…'])
})

it('a warning says what to set, and on which page there is more', async () => {
  const said: string[] = []
  const logger = { warn: (line: string) => void said.push(line), error() {} }
  const limiter = createLimiter({
    policy: fixedWindow({ limit: 1, window: '1h' }),
    store: memoryStore({ maxKeys: 1 }),
    logger,
  })
  for (const key of ['ann', 'ann', 'bob', 'bob', 'eve']) await limiter.check(key)
  expect(said).toEqual([
    expect.stringMatching(/^\[sluice\] SLUICE_MEMORY_FULL: .*; raise maxKeys \(https:\S+\)$/),
  ])
  const [, page, anchor] = /\((https:\S+)#(\S+)\)$/.exec(said[0] ?? '') ?? []
  expect(page).toMatch(/\/docs\/errors\.md$/)
  expect(anchor).toBe('sluice_memory_full')
})

it('what a store warns of is printed once for all limiters that share it and a logger', async () => {
  const said: string[] = []
  const loggerOf = (name: string) => ({ warn: () => void said.push(name), error() {} })
  const shared = loggerOf('shared')
  const store = memoryStore({ maxKeys: 1 })
  const limiters = [shared, shared, loggerOf('own')].map((logger, i) =>
    createLimiter({ name: `limiter ${i}`, policy: fixedWindow({ limit: 1, window: '1h' }), store, logger }),
  )
  for (const key of ['ann', 'ann', 'bob', 'bob', 'eve']) await limiters[0]?.check(key)
  expect(said).toEqual(['shared', 'own'])
  expect(limiters.map((limiter) => limiter.health().warnings)).toEqual(
    limiters.map(() => ['SLUICE_MEMORY_FULL']),
  )
})
