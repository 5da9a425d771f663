import { afterEach, describe, expect, it, jest } from '@jest/globals'
import { littleEndian } from '../src/runtime.ts'

type Runtime = typeof import('../src/runtime.ts') &
  typeof import('../src/redis/connection.ts') &
  typeof import('../src/clock.ts')

const { process: own, setImmediate: immediate } = globalThis
afterEach(() => {
  Object.assign(globalThis, { process: own, setImmediate: immediate })
  jest.restoreAllMocks()
})

/** As it loads where `process` is this. */
function runtimeWith(process: unknown, given: unknown): Runtime {
  let loaded: Runtime | undefined
  jest.isolateModules(() => {
    Object.assign(globalThis, { process, setImmediate: given })
    loaded = {
      ...require('../src/runtime.ts'),
      ...require('../src/redis/connection.ts'),
      ...require('../src/clock.ts'),
    }
  })
  return loaded as Runtime // isolateModules has just run it
}

/** What is loaded where a test runner holds `Date`. */
function underFakeTimers<T>(load: () => T): T {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] })
  try {
    return load()
  } finally {
    jest.useRealTimers()
  }
}

const throws = (): never => {
  throw new Error('not supported here')
}
/** What is a function in Node throws, and all else is undefined. */
const throwing = Object.fromEntries(Object.keys(own).map((name) => [name, throws]))

// biome-ignore format: a table
describe.each([
  // process                                                       is                                                        setImmediate
  ['there is none, as in a browser and in a worker',                undefined,                                                undefined],
  ['has the environment alone, as on Vercel',                       { env: {} },                                              undefined],
  ['has functions that throw, as in the edge runtime of Next.js',   { ...throwing, versions: undefined, env: {} },            throws],
  ['is that of a bundler',                                          { browser: true, versions: {}, env: {}, nextTick: throws }, undefined],
  ['names a version of Node and has none of its modules',           { versions: { node: '22.0.0' }, env: {} },                undefined],
  ['names a version of Node and answers no module',                 { versions: own.versions, getBuiltinModule: () => undefined }, undefined],
  ['is that of Node',                                               own,                                                      immediate],
])('where process %s', (_, process, setImmediate) => {
  it('all of the runtime works', async () => {
    const runtime = runtimeWith(process, setImmediate)
    expect(runtime.sha256Hex('a')).toBe('ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb')
    expect(runtime.scriptOf('a').sha).toBe('86f7e437faa5a7fce15d1ddcb9eaeaea377667b8')
    for (const { realClock } of [runtime, underFakeTimers(() => runtimeWith(process, setImmediate))]) {
      expect(realClock.nowUs()).toBeGreaterThan(0)
    }
    const warn = jest.spyOn(console, 'warn').mockImplementation(() => {})
    const emit = jest.spyOn(own, 'emitWarning').mockImplementation(() => {})
    runtime.showWarning('careful', 'SLUICE_X')
    expect(warn.mock.calls.length + emit.mock.calls.length).toBe(1)
    await new Promise<void>((resolve) => runtime.soon(resolve))
    await new Promise<void>((resolve) => runtime.nextTurn(resolve))
  })
})

it.each([true, false])('the bytes of a text are those of its UTF-16, where there is a Buffer: %s', (has) => {
  const { Buffer: nodes } = globalThis
  try {
    if (!has) Reflect.deleteProperty(globalThis, 'Buffer')
    expect([...littleEndian('a\ud800é€')]).toEqual([0x61, 0, 0, 0xd8, 0xe9, 0, 0xac, 0x20])
  } finally {
    Object.assign(globalThis, { Buffer: nodes })
  }
})

it('loads no module of Node before it is needed, as that takes Node milliseconds', () => {
  const asked: string[] = []
  const getBuiltinModule = (name: string) => {
    asked.push(name)
    return own.getBuiltinModule(name)
  }
  jest.isolateModules(() => {
    Object.assign(globalThis, { process: { ...own, getBuiltinModule } })
    require('../src/index.ts')
    expect(asked).toEqual([])
    require('../src/clock.ts').realClock.nowUs()
    expect(asked).toEqual(['node:perf_hooks'])
  })
})
