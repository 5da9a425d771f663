import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, expect, it } from '@jest/globals'
import { bundled } from '@sluice/faults/bundle'
import { until } from '@sluice/faults/outage'
import { type Checked, Child, type ChildOptions } from './child.ts'
import { Here } from './here.ts'

const run = promisify(execFile)
const clusterProgram = bundled(path.join(__dirname, 'cluster-program.ts'))
const limit = 100
let here = new Here()
const children: Child[] = []

afterEach(async () => {
  await Promise.all(children.splice(0).map((child) => child.kill()))
  await here.close()
  here = new Here()
})

async function start(options?: ChildOptions): Promise<Child> {
  const child = await Child.start(here.folder, options)
  children.push(child)
  return child
}

function sum(all: readonly Checked[]): Checked {
  return {
    byStore: all.reduce((total, { byStore }) => total + byStore, 0),
    alone: all.reduce((total, { alone }) => total + alone, 0),
  }
}

it('ten processes that begin at once admit exactly the limit', async () => {
  const all = await Promise.all(Array.from({ length: 10 }, () => start()))
  const checked = await Promise.all(all.map((child) => child.check('k', 20)))
  expect(sum(checked)).toEqual({ byStore: limit, alone: 0 })
})

it('processes that begin at once where one was killed admit exactly the limit', async () => {
  await (await start()).kill()
  const all = await Promise.all(Array.from({ length: 6 }, () => start()))
  const checked = await Promise.all(all.map((child) => child.check('k', 30)))
  expect(sum(checked)).toEqual({ byStore: limit, alone: 0 })
})

it('when the process that holds the counts is killed, another takes its place, and at most one limit more is admitted', async () => {
  const holder = await start()
  const others = await Promise.all([start(), start(), start()])
  const before = sum(await Promise.all(others.map((child) => child.check('k', 20))))
  expect(before).toEqual({ byStore: 60, alone: 0 })
  // While they ask.
  const asked = Promise.all(others.map((child) => child.check('k', 200)))
  await holder.kill()
  const during = sum(await asked)
  const after = sum(await Promise.all(others.map((child) => child.check('k', 200))))
  expect(during.alone + after.alone).toBe(0)
  expect(during.byStore + after.byStore).toBeGreaterThanOrEqual(limit - before.byStore)
  expect(before.byStore + during.byStore + after.byStore).toBeLessThanOrEqual(2 * limit)
  const fresh = await Promise.all(others.map((child) => child.check('another', limit)))
  expect(sum(fresh)).toEqual({ byStore: limit, alone: 0 })
})

it('a restart of all processes goes on with the counts of the file', async () => {
  const file = path.join(path.dirname(here.folder), 'counts')
  const [first] = [await start({ file }), await start({ file })]
  expect(await first.check('k', 60)).toEqual({ byStore: 60, alone: 0 })
  await Promise.all(children.splice(0).map((child) => child.end()))
  const again = await start({ file })
  expect(await again.check('k', limit)).toEqual({ byStore: limit - 60, alone: 0 })
})

it('after a kill the counts of the file go on as far as they were written', async () => {
  const file = path.join(path.dirname(here.folder), 'counts')
  const holder = await start({ file })
  const other = await start({ file })
  expect(await other.check('k', 60)).toEqual({ byStore: 60, alone: 0 })
  await until(async () => readFileSync(file, 'utf8').includes('"k"'), { what: 'the counts are written' })
  await holder.kill()
  expect(await other.check('k', limit)).toEqual({ byStore: limit - 60, alone: 0 })
})

it('a process that has nothing else to do ends, with the counts or without', async () => {
  // A deadline keeps its process until it has passed.
  const [holder, other] = [await start({ deadline: '3s' }), await start({ deadline: '3s' })]
  expect(await other.check('k', 3)).toEqual({ byStore: 3, alone: 0 })
  expect(await other.leave()).toBe(0)
  expect(await holder.leave()).toBe(0)
})

it('a store that was closed leaves nothing', async () => {
  const [holder, other] = [await start(), await start()]
  expect([await other.end(), await holder.end()]).toEqual([0, 0])
  expect(readdirSync(path.dirname(here.folder))).toEqual([])
})

it('workers of node:cluster have one limit together', async () => {
  const { stdout } = await run(process.execPath, [await clusterProgram(), here.folder])
  expect(JSON.parse(stdout)).toEqual({ workers: 3, admitted: limit })
})
