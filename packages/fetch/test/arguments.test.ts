import { expect, it } from '@jest/globals'
import { fixedWindow, memoryStore } from '@sluice/core'
import * as bun from '../src/bun.ts'
import * as deno from '../src/deno.ts'
import * as h3 from '../src/h3.ts'
import * as hono from '../src/hono.ts'
import * as bare from '../src/index.ts'
import * as next from '../src/next.ts'
import * as sveltekit from '../src/sveltekit.ts'
import * as workers from '../src/workers.ts'

it.each(Object.entries({ bare, bun, deno, h3, hono, next, sveltekit, workers }))(
  'rateLimit of %s refuses a store beside its options, as it would not be used',
  (_name, { rateLimit }) => {
    const asInJavaScript = rateLimit as (...given: readonly unknown[]) => unknown
    const options = { policy: fixedWindow({ limit: 5, window: '1m' }), ip: () => undefined }
    expect(() => asInJavaScript(options, memoryStore())).toThrow(
      'arguments[1]: expected nothing, as the store is an option: { …, store }, got an object (MemoryStore)',
    )
  },
)
