import { afterEach, expect, it, jest } from '@jest/globals'
import { type Limits, type LimitsSource, loadLimits, type ReloadEvent } from '../src/index.ts'

const quiet = { warn() {}, error() {} }
let limits: Limits | undefined
afterEach(() => limits?.close())

/** A source whose data the test sets. */
function settable(first: () => Promise<unknown>) {
  let read = first
  let changed = () => {}
  let closed = 0
  const source: LimitsSource = {
    name: 'the database',
    read: () => read(),
    watch(heard) {
      changed = heard
      return { close: () => closed++ }
    },
  }
  const set = (next: () => Promise<unknown>) => {
    read = next
    changed()
  }
  return { source, set, closed: () => closed }
}

const tree = (limit: number) => async () => ({
  schema: { user: { limits: { strategy: 'fixedWindow', limit, window: '1h' } } },
})

it('limits of another source apply, and again when it says that they have changed', async () => {
  const { source, set, closed } = settable(tree(1))
  let told = (_event: ReloadEvent) => {}
  limits = await loadLimits({ from: source, logger: quiet, onReload: (event) => told(event) })
  const change = () => new Promise<ReloadEvent>((resolve) => (told = resolve))
  expect((await limits.check(['user'])).limit).toBe(1)
  let reloaded = change()
  set(tree(5))
  expect(await reloaded).toEqual({ ok: true })
  expect((await limits.check(['user'])).limit).toBe(5)

  reloaded = change()
  set(() => Promise.reject(new Error('not there')))
  const problem = {
    file: 'the database',
    line: 0,
    column: 0,
    path: '',
    expected: 'limits that can be read',
    got: 'not there',
  }
  expect(await reloaded).toEqual({ ok: false, problems: [problem] })
  expect(limits.health().failedReloads).toMatchObject([{ source: 'the database' }])
  reloaded = change()
  set(async () => ({ schema: { user: { limits: [1] } } }))
  expect(await reloaded).toMatchObject({ ok: false, problems: [{ path: 'schema.user.limits' }] })
  expect((await limits.check(['user'])).limit).toBe(5)

  await limits.close()
  expect(closed()).toBe(1)
})

it('one that cannot be read at the start rejects, and is watched no longer', async () => {
  const { source, closed } = settable(() => Promise.reject('gone'))
  await expect(loadLimits({ from: source })).rejects.toMatchObject({
    code: 'SLUICE_LIMITS',
    message: 'the database: expected limits that can be read, got gone',
  })
  expect(closed()).toBe(1)
})

/** As records of a database whose fields are fetched when somebody looks at them. */
const lazy = {
  get schema(): never {
    throw new Error('no connection')
  },
}

// biome-ignore format: a table
it.each<readonly [name: string, read: () => Promise<unknown>, got: string]>([
  ['whose data throws when it is looked at', async () => lazy,                            'no connection'],
  ['whose error has no text',                () => Promise.reject(Object.create(null)), 'an error without a text'],
])('one %s is a problem, and is read again after the next change', async (_name, read, got) => {
  const problem = { file: 'the database', path: '', expected: 'limits that can be read', got }
  const broken = settable(read)
  await expect(loadLimits({ from: broken.source, logger: quiet })).rejects.toMatchObject({ problems: [problem] })

  const events: ReloadEvent[] = []
  const { source, set } = settable(tree(1))
  limits = await loadLimits({ from: source, logger: quiet, onReload: (event) => events.push(event) })
  set(read)
  await new Promise((resolve) => setImmediate(resolve))
  expect((await limits.check(['user'])).limit).toBe(1)
  set(tree(5))
  await new Promise((resolve) => setImmediate(resolve))
  expect(events).toMatchObject([{ ok: false, problems: [problem] }, { ok: true }])
  expect((await limits.check(['user'])).limit).toBe(5)
})

it('one that does not answer within thirty seconds is a problem, and is read again after the next change', async () => {
  const { source, set } = settable(tree(1))
  const events: ReloadEvent[] = []
  limits = await loadLimits({ from: source, logger: quiet, onReload: (event) => events.push(event) })
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] })
  try {
    set(() => new Promise(() => {}))
    await turn()
    set(tree(5))
    jest.advanceTimersByTime(29_999)
    await turn()
    expect(events).toEqual([])
    jest.advanceTimersByTime(1)
    await turn()
    expect(events).toMatchObject([{ ok: false, problems: [{ got: 'no answer within 30 s' }] }, { ok: true }])
    expect(jest.getTimerCount()).toBe(0)
  } finally {
    jest.useRealTimers()
  }
  expect((await limits.check(['user'])).limit).toBe(5)
})

it('one that is not watched is read once', async () => {
  const { source, set } = settable(tree(1))
  limits = await loadLimits({ from: source, watch: false })
  set(tree(5))
  expect((await limits.check(['user'])).limit).toBe(1)
})

it.each([
  [{ from: {} }, 'from'],
  [{ from: null }, 'from'],
  [{ from: { name: 'a', read: tree(1), watch: true } }, 'from.watch'],
  [{ from: { name: 'a', read: tree(1) }, text: 'schema: {}' }, 'file'],
])('%j is an OptionError', async (options, path) => {
  await expect(loadLimits(options as never)).rejects.toMatchObject({ code: 'SLUICE_OPTION', path })
})

// biome-ignore format: a table
it.each<[string, object, string]>([
  ['watch of limits in a text',         { text: 'schema: { user: { limits: [1, 2, 3] } }', watch: true }, 'watch: expected to be left out, as nothing tells when these limits change, got true (boolean)'],
  ['watch of a source that tells nothing', { from: { name: 'the database', read: tree(1) }, watch: true }, 'watch: expected to be left out, as nothing tells when these limits change, got true (boolean)'],
  ['a shadow of a limit that is misspelt', { from: { name: 'the database', read: tree(1) }, shadow: { usr: true } }, 'shadow.usr: expected the name of a limit in the database (did you mean "user"?): add it there, or leave it out here, got "usr" (string)'],
  ['a choice for a limit that is misspelt', { from: { name: 'the database', read: tree(1) }, onStoreFailure: { usr: 'deny' } }, 'onStoreFailure.usr: expected the name of a limit in the database'],
  ['a price for a limit that is misspelt', { from: { name: 'the database', read: tree(1) }, prices: { read: { usr: 1 } } }, 'prices.read.usr: expected the name of a limit in the database'],
  ['a tag of a limit that is misspelt',  { from: { name: 'the database', read: tree(1) }, tag: { usr: 1 } }, 'tag.usr: expected the name of a limit in the database'],
])('%s is refused, as it would have no effect', async (_title, options, message) => {
  await expect(loadLimits({ logger: quiet, ...options } as never)).rejects.toThrow(message)
})

// biome-ignore format: a table
it.each<[string, object]>([
  ['shadow.user',         { shadow: { user: true } }],
  ['onStoreFailure.user', { onStoreFailure: { user: 'deny' } }],
  ['tag.user',            { tag: { user: 1 } }],
  ['prices.read.user',    { prices: { read: { user: 2 } } }],
])('limits without one that %s names are refused as at the start, and the old ones stay', async (at, options) => {
  const { source, set } = settable(tree(5))
  const events: ReloadEvent[] = []
  const onReload = (event: ReloadEvent) => void events.push(event)
  limits = await loadLimits({ from: source, logger: quiet, onReload, ...options })
  const renamed = { schema: { member: { limits: { strategy: 'fixedWindow', limit: 9, window: '1h' } } } }
  const expected = `${at}: expected the name of a limit in the database`
  expect(() => limits?.replace(renamed)).toThrow(expected)
  set(async () => renamed)
  while (events.length === 0) await new Promise((resolve) => setImmediate(resolve))
  expect(events).toMatchObject([{ ok: false, problems: [{ path: at, got: '"user" (string)' }] }])
  expect((await limits.check(['user'])).limit).toBe(5)
  expect(limits.health().failedReloads).toMatchObject([{ source: 'the database' }])
  expect((await limits.check(['member'])).verdicts).toEqual({})
})

it('what a source that tells nothing is not watched for is no mistake', async () => {
  limits = await loadLimits({
    from: { name: 'the database', read: tree(1) },
    watch: false,
    shadow: { user: true },
    logger: quiet,
  })
  await limits.check(['user'])
  expect((await limits.check(['user'])).allowed).toBe(true)
})
