import { afterEach, expect, it } from '@jest/globals'
import { type Limits, loadLimits, type TogetherDecision } from '../src/index.ts'

const text = `
charge: all-or-nothing
schema:
  user:
    children:
      "*":
        limits: { strategy: fixedWindow, limit: 3, window: 1h }
        children:
          read: {}
          write: { limits: { strategy: fixedWindow, limit: 2, window: 1h } }
  ip:
    children:
      "*":
        limits: { strategy: fixedWindow, limit: 2, window: 1h }
        children: { admin: { limits: deny } }
  tried: { limits: { only: { strategy: fixedWindow, limit: 1, window: 1h, shadow: true } } }
`
let limits: Limits | undefined
afterEach(() => limits?.close())

async function load(more: { charge?: 'every-level' } = {}): Promise<Limits> {
  limits = await loadLimits({ text, logger: { warn() {}, error() {} }, ...more })
  return limits
}

/** What each path got, and how much each of its limits has left. */
function shown({ decision, parts }: TogetherDecision) {
  const each = parts.map(({ allowed, levels }) => [
    allowed,
    Object.fromEntries(levels.map(({ policy, remaining }) => [policy, remaining])),
  ])
  return [decision.allowed, ...each]
}

const paths = (...all: readonly string[]) => all.map((path) => ({ path: path.split('/') }))

it('each path has its own answer, and where one refuses none is charged', async () => {
  const all = await load()
  const both = paths('user/alex', 'ip/1')
  await all.checkTogether(both)
  expect(shown(await all.checkTogether(both))).toEqual([true, [true, { 'user/*': 1 }], [true, { 'ip/*': 0 }]])
  expect(shown(await all.checkTogether(both))).toEqual([
    false,
    [true, { 'user/*': 1 }],
    [false, { 'ip/*': 0 }],
  ])
  expect((await all.peek(['user', 'alex'])).remaining).toBe(1)
})

it('by every level each path is charged for itself', async () => {
  const all = await load({ charge: 'every-level' })
  for (let i = 0; i < 2; i++) await all.checkTogether(paths('user/alex', 'ip/1'))
  expect(shown(await all.checkTogether(paths('user/alex', 'ip/1')))).toEqual([
    false,
    [true, { 'user/*': 0 }],
    [false, { 'ip/*': 0 }],
  ])
})

it('a limit that several meet with one key is asked once, for all of their units', async () => {
  const all = await load()
  const asked = [
    { path: ['user', 'alex', 'read'], cost: 1 },
    { path: ['user', 'alex', 'write'], cost: 2 },
    { path: ['user', 'bob', 'write'] },
  ]
  expect(shown(await all.checkTogether(asked))).toEqual([
    true,
    [true, { 'user/*': 0 }],
    [true, { 'user/*': 0, 'user/*/write': 0 }],
    [true, { 'user/*': 2, 'user/*/write': 1 }],
  ])
})

it('a path that is denied refuses all, and nothing is counted', async () => {
  const all = await load()
  const { decision, parts } = await all.checkTogether(paths('user/alex', 'ip/1/admin', 'none/1'))
  expect(decision.reason).toBe('denied')
  expect(parts).toEqual([
    { allowed: true, levels: [], end: { place: 'user/*', name: undefined, says: 'limits' } },
    { allowed: false, levels: [], end: { place: 'ip/*/admin', name: undefined, says: 'deny' } },
    { allowed: true, levels: [], end: { place: undefined, name: undefined, says: 'nothing' } },
  ])
  expect((await all.peek(['user', 'alex'])).remaining).toBe(3)
})

it('paths that meet nothing pass, and a shadow limit refuses none', async () => {
  const all = await load()
  expect(shown(await all.checkTogether(paths('none', 'other')))).toEqual([true, [true, {}], [true, {}]])
  await all.checkTogether(paths('tried'))
  expect(shown(await all.checkTogether(paths('tried', 'user/alex')))).toEqual([
    true,
    [true, { 'tried/only': 0 }],
    [true, { 'user/*': 2 }],
  ])
})

it('what was taken is given back for all of them', async () => {
  const all = await load()
  const { decision } = await all.checkTogether(paths('user/alex', 'ip/1'))
  await decision.refund()
  expect((await all.peek(['user', 'alex'])).remaining).toBe(3)
  expect((await all.peek(['ip', '1'])).remaining).toBe(2)
})

it('what makes no sense is named', async () => {
  const all = await load()
  await expect(all.checkTogether([])).rejects.toMatchObject({ code: 'SLUICE_OPTION', path: 'asked' })
  await expect(all.checkTogether(null as never)).rejects.toMatchObject({ path: 'asked' })
  await expect(all.checkTogether([{ path: [] }])).rejects.toMatchObject({ path: 'path' })
  await expect(all.checkTogether([{ path: ['user', 'a'], cost: -1 }])).rejects.toMatchObject({ path: 'cost' })
  expect((await all.peek(['user', 'a'])).remaining).toBe(3)
})
