/** The files of a small ability: a store around a store that counts what it is asked, and an observer that counts who was refused. */
export const source: string = `import type {
  Change, Command, Decision, HeldLease, InLine, LinePlace, Observer, Policy, Preparing, Question, Renewal, Store, StoreListener, StoreRows,
} from '@sluice/core'

class TalliedStore implements Store {
  readonly name: string
  readonly can: Store['can']
  readonly clock: Store['clock']
  readonly #inner: Store
  /** How many questions it was asked. */
  asked = 0

  constructor(inner: Store) {
    this.name = inner.name
    this.can = inner.can
    this.clock = inner.clock
    this.#inner = inner
  }

  answer(question: Question): StoreRows | Promise<StoreRows> {
    this.asked++
    return this.#inner.answer(question)
  }

  adjust(changes: readonly Change[]): void | Promise<void> {
    return this.#inner.adjust(changes)
  }

  renew(held: readonly HeldLease[]): readonly Renewal[] | Promise<readonly Renewal[]> {
    return this.#inner.renew?.(held) ?? []
  }

  line(callers: readonly InLine[]): readonly LinePlace[] | Promise<readonly LinePlace[]> {
    return this.#inner.line?.(callers) ?? []
  }

  manage(command: Command): unknown {
    return this.#inner.manage(command)
  }

  accept(policy: Policy, path: string): void {
    this.#inner.accept?.(policy, path)
  }

  prepare(policies: readonly Policy[], about: Preparing): void {
    this.#inner.prepare?.(policies, about)
  }

  watch(listener: StoreListener): () => void {
    return this.#inner.watch?.(listener) ?? (() => {})
  }

  async ready(): Promise<void> {
    await this.#inner.ready?.()
  }

  close(): Promise<void> {
    return this.#inner.close()
  }
}

/** A store around a store, which counts what it is asked. */
export function tallied(store: Store): Store & { readonly asked: number } {
  return new TalliedStore(store)
}

/** Counts who was refused. */
export class Refusals implements Observer {
  count = 0

  decided(decision: Decision): void {
    if (!decision.allowed) this.count++
  }
}
`

/** It is a store like any other, and its numbers are right. */
export const test: string = `import { expect, it } from '@jest/globals'
import { describeStore, memoryUnderTest } from '@sluice/conformance'
import { createLimiter, fixedWindow, memoryStore } from '@sluice/core'
import { Refusals, tallied } from '../src/index.ts'

async function talliedUnderTest() {
  const subject = await memoryUnderTest()
  return { ...subject, store: tallied(subject.store) }
}

describeStore('a tallied store', talliedUnderTest, [
  { cases: 'gives its keys the lives', reason: 'memory gives none' },
  { cases: 'write nothing', reason: 'what memory stores cannot be seen' },
])

it('counts what was asked and who was refused', async () => {
  const store = tallied(memoryStore())
  const refusals = new Refusals()
  const policy = fixedWindow({ limit: 1, window: '1d' })
  const limiter = createLimiter({ policy, store, observers: [refusals] })
  for (const key of ['bob', 'bob', 'eve']) await limiter.check(key)
  expect({ asked: store.asked, refused: refusals.count }).toEqual({ asked: 3, refused: 1 })
})
`

const built = {
  import: { types: './dist/esm/index.d.ts', default: './dist/esm/index.js' },
  require: { types: './dist/cjs/index.d.ts', default: './dist/cjs/index.js' },
}

/** Beside what every package says of itself. */
export const manifest = {
  name: '@sluice/tally',
  description: 'Counts what a store of Sluice is asked',
  keywords: ['rate-limit', 'rate limiting', 'tally'],
  exports: { '.': { 'sluice-source': './src/index.ts', ...built } },
  files: ['dist'],
  dependencies: { '@sluice/core': 'workspace:^' },
  publishConfig: { access: 'public', exports: { '.': built } },
} as const

export const readme: string = `# @sluice/tally

Counts what a store of Sluice is asked.

\`\`\`sh
npm install @sluice/tally @sluice/core
\`\`\`

[The pages](https://github.com/sluicejs/sluice/) say more.
`

export const section: string = `## \`@sluice/tally\`

### \`tallied\`, \`Refusals\`

A store around a store that counts what it is asked, and an observer that counts who was refused.

`
