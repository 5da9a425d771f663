import type {
  afterAll as AfterAll,
  beforeAll as BeforeAll,
  describe as Describe,
  expect as Expect,
  it as It,
} from '@jest/globals'

interface Runner {
  readonly afterAll: typeof AfterAll
  readonly beforeAll: typeof BeforeAll
  readonly describe: typeof Describe
  readonly expect: typeof Expect
  readonly it: typeof It
}

// The globals that Jest sets, and Vitest with `globals: true`: no runner is a dependency, and without one this can be loaded.
const runner = globalThis as unknown as Runner

export const afterAll: typeof AfterAll = runner.afterAll
export const beforeAll: typeof BeforeAll = runner.beforeAll
export const describe: typeof Describe = runner.describe
export const expect: typeof Expect = runner.expect
export const it: typeof It = runner.it
