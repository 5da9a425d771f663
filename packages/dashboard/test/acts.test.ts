import { expect, test } from '@jest/globals'
import { createLimiter, fixedWindow } from '@sluice/core'
import { memorySink, recorder } from '@sluice/telemetry'
import { modelOf } from '../src/model.ts'
import { readSettings } from '../src/options.ts'
import { onHand } from './on-hand.ts'

test('what is done to a key by code is an event, with why and by whom', async () => {
  const hand = onHand()
  const policy = fixedWindow({ limit: 5, window: '1h' })
  const limiter = createLimiter({ name: 'login', policy, store: hand.store, observers: [hand.watcher] })
  await limiter.block('192.0.2.7', '10m', { why: 'guesses\u001b passwords', by: 'alice' })
  await limiter.set('bob', { default: 1200 })
  await limiter.unblock('192.0.2.7')
  await limiter.reset('192.0.2.7')
  const said = hand.log.message(false).events.map(({ title, text }) => [title, text])
  expect(said).toEqual([
    ['Key reset', 'login, 192.0.2.7.'],
    ['Key unblocked', 'login, 192.0.2.7.'],
    ['Count of a key set', 'login, bob, to 1,200.'],
    ['Key blocked', 'login, 192.0.2.7, for 10 min, by alice: guesses\\u{1b} passwords.'],
  ])
  const masked = hand.log.message(true).events.at(-1)?.text
  expect(masked).toMatch(/^login, 192\.0\.2\.•• #\w{6}, for 10 min, by alice: guesses.+•\.$/)
})

test.each([
  [{ limiter: '' }, 'all limiters, bob.'],
  [{ limiter: '', limiters: 1200 }, '1,200 limiters, bob.'],
  [{ limiter: 'login' }, 'login, bob.'],
  [{ limiter: 'login', policies: ['short', 'long'] }, 'login / short and login / long, bob.'],
])('what is done says where: %j', (where, text) => {
  const hand = onHand()
  hand.watcher.acted({ act: 'block', policies: [], key: 'bob', atMs: 0, ...where })
  expect(hand.log.message(false).events.map((event) => event.text)).toEqual([text])
})

test('a recorder passes on what it hears of acts', async () => {
  const seen = recorder(memorySink())
  const { log, watcher } = modelOf(readSettings({ recorder: seen }), () => 0)
  seen.watch(watcher)
  const limiter = createLimiter({ policy: fixedWindow({ limit: 5, window: '1h' }), observers: [seen] })
  await limiter.block('bob', '1h')
  expect(log.message(false).events.map(({ title }) => title)).toEqual(['Key blocked'])
  await limiter.close()
  await seen.close()
})

test('what is done to a limit is an event with its name, which is no key to be masked', () => {
  const hand = onHand()
  const act = { limiter: '', policies: [], key: 'free', atMs: 0, by: 'alice' }
  hand.watcher.acted({ ...act, act: 'change', to: 'count=50', forMs: 7_200_000, why: 'incident 12' })
  hand.watcher.acted({ ...act, act: 'restore' })
  expect(hand.log.message(true).events.map(({ title, text }) => [title, text])).toEqual([
    ['Limit restored', 'free, by alice.'],
    ['Limit changed', expect.stringMatching(/^free, for 2 h, to count=50, by alice: inci.*\.$/)],
  ])
})
