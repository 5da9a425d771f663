import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from '@jest/globals'

const Sequencer = require('../jest/sequencer.cjs')

let folder: string
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'order-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const padding = (bytes: number) => `// ${'-'.repeat(bytes)}\n`
const texts: Readonly<Record<string, string>> = {
  'large.test.ts': `${padding(5000)}it('is one of many', () => {})`,
  'small.test.ts': "describe('all', () => {\n  test.each([1])('is one of few', () => {})\n})",
  'suite.test.ts': "import { describeStateStore } from 'there'\ndescribeStateStore('one', make)",
  'suite-and-more.test.ts': "describeSink('one', make)\nit('has more', () => {})",
  'elsewhere.test.ts': "import { provesOutages } from './outages.ts'\nprovesOutages([1, 2])",
  'one.packed.test.ts': "it('installs', () => {})",
  'one.postgres.test.ts': "it('asks', () => {})",
}

/** The names in the order in which jest is to run them, where some have been timed. */
function orderOf(names: readonly string[], durations: Readonly<Record<string, number>> = {}): string[] {
  const sequencer = new Sequencer({ contexts: [], globalConfig: {} })
  const context = {
    config: { id: 'sluice', displayName: { name: 'unit' }, cacheDirectory: folder, cache: true, haste: {} },
    hasteFS: { getSize: (file: string) => texts[path.basename(file)]?.length ?? null },
  }
  for (const name of names) writeFileSync(path.join(folder, name), texts[name] ?? '')
  const tests = names.map((name) => ({ context, path: path.join(folder, name) }))
  const timed = Object.entries(durations).map(([name, ms]) => [path.join(folder, name), [1, ms]])
  writeFileSync(sequencer._getCachePath(context), JSON.stringify(Object.fromEntries(timed)))
  return sequencer.sort(tests).map((test: { readonly path: string }) => path.basename(test.path))
}

it('where no run has been timed, what is longer than it looks comes first, and then the largest', () => {
  const order = orderOf(Object.keys(texts))
  expect(order.slice(-2)).toEqual(['large.test.ts', 'small.test.ts'])
  expect(order).toHaveLength(7)
})

it('goes by the time that files took where that is known', () => {
  const durations = { 'large.test.ts': 20, 'small.test.ts': 3000, 'suite.test.ts': 5 }
  const order = orderOf(['large.test.ts', 'suite.test.ts', 'small.test.ts'], durations)
  expect(order).toEqual(['small.test.ts', 'large.test.ts', 'suite.test.ts'])
})
