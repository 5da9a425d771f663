import { afterAll, afterEach, beforeAll, expect } from '@jest/globals'
import {
  type Browser,
  becomes,
  desk,
  type Page,
  startBrowser,
  textsOf,
  type ViewOptions,
  view,
} from '@sluice/browser-test'
import {
  createLimiter,
  guardedStore,
  type Limiter,
  type Lists,
  memoryStore,
  type Observer,
  type Policies,
  type Store,
} from '@sluice/core'
import { memorySink, recorder } from '@sluice/telemetry'
import { serve } from './served.ts'

type Observing =
  | Observer
  | { readonly observer: Observer; readonly store: Store; readonly lists?: readonly Lists[] }

interface Opening extends ViewOptions {
  /** Behind the page's address, with its `#`. */
  readonly hash?: string
}

let browser: Browser
const ends: (() => unknown)[] = []

/** Starts Chromium for a file of tests, and ends after each test what it has made. */
export function startReal(): void {
  beforeAll(async () => {
    browser = await startBrowser()
  })
  afterAll(() => browser.close())
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end()
  })
}

/** A real recorder in memory, on a clock that can be put ahead; if it begins at `fromMs`, it stands otherwise. */
export function recording(fromMs?: number) {
  let aheadMs = 0
  const nowMs = () => (fromMs ?? Date.now()) + aheadMs
  const seen = recorder(Object.assign(memorySink(), { nowMs }))
  ends.push(() => seen.close())
  return {
    seen,
    ahead: (seconds: number) => {
      aheadMs += seconds * 1000
    },
  }
}

export function limiterOf(name: string, policies: Policies, observing: Observing): Limiter<Policies> {
  const given = 'observer' in observing ? observing : { observer: observing }
  const { observer, ...rest } = given
  const limiter = createLimiter({ name, policies, observers: [observer], logger: silent, ...rest })
  ends.push(() => limiter.close())
  return limiter
}

const silent = { warn() {}, error() {} }

/** A store that is away, behind a guard, until `comeBack()`. */
export function awayStore(): { readonly store: Store; comeBack(): void } {
  let away = true
  const memory = memoryStore()
  const there = async () => {
    if (away) throw new Error('away')
  }
  const store = guardedStore({
    name: 'redis',
    ready: there,
    answer: async (question) => {
      await there()
      return memory.answer(question)
    },
    adjust: (changes) => memory.adjust(changes),
    manage: async (command) => {
      await there()
      return memory.manage(command)
    },
    close: () => memory.close(),
  })
  ends.push(() => store.close())
  return {
    store,
    comeBack: () => {
      away = false
    },
  }
}

/** The page, live; it may not complain. */
export async function opened(
  options: Parameters<typeof serve>[0],
  { hash = '', ...screen }: Opening = {},
): Promise<Page> {
  const served = await serve(options)
  const { page, complaints } = await view(browser, `${served.url}${hash}`, { ...desk, ...screen })
  ends.push(async () => {
    await page.context().close()
    await served.close()
    expect(complaints).toEqual([])
  })
  async function status(): Promise<string[]> {
    if (screen.frozen === true) await page.clock.runFor(20)
    return textsOf(page, '#status')
  }
  await becomes(status, ['Live'])
  return page
}
