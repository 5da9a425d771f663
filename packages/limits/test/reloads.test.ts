import { expect, it } from '@jest/globals'
import { readLimitsText } from '../src/index.ts'
import { reloader } from '../src/reload.ts'
import type { Tree } from '../src/tree.ts'

const treeOf = (limit: number) =>
  readLimitsText(`schema: { user: { limits: { strategy: fixedWindow, limit: ${limit}, window: 1h } } }`)

it('of two reloads the second holds, although the first was read more slowly', async () => {
  const reads: ((tree: Tree) => void)[] = []
  const read = () => new Promise<Tree>((resolve) => reads.push(resolve))
  const used: Tree[] = []
  const events: unknown[] = []
  const reload = reloader({ use: (tree) => used.push(tree) }, read, (event) => events.push(event))
  const soon = () => new Promise((resolve) => setImmediate(resolve))
  const [first, second] = [treeOf(7), treeOf(9)]
  reload()
  reload()
  await soon()
  // Where both are read at once, the second is there before the first.
  reads[1]?.(second)
  await soon()
  reads[0]?.(first)
  await soon()
  reads[1]?.(second)
  await soon()
  expect(used).toEqual([first, second])
  expect(events).toEqual([{ ok: true }, { ok: true }])
})
