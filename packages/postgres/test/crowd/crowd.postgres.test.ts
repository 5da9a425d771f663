import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { bundled } from '@sluice/faults/bundle'
import { createTable } from '../../src/index.ts'
import { freshTable, poolOf } from '../server.ts'
import { type Count, type CrowdName, crowds, limit, type Start } from './worker.ts'

const processes = 4
const calls = 60
const program = bundled(path.join(import.meta.dirname, 'worker.ts'))
const pool = poolOf({ max: 1 })
const table = freshTable()

let workers: readonly ChildProcess[] = []

beforeAll(async () => {
  await createTable(pool, { table })
  const file = await program()
  workers = Array.from({ length: processes }, () => fork(file))
  await Promise.all(workers.map((worker) => once(worker, 'message')))
})

afterAll(async () => {
  await pool.end()
  await Promise.all(
    workers.map((worker) => {
      worker.disconnect()
      return once(worker, 'exit')
    }),
  )
})

describe('a crowd of four processes, all at once, on a key that is new', () => {
  it.each(Object.keys(crowds) as CrowdName[])(
    'is admitted exactly as often as the limit says: %s',
    async (crowd) => {
      const start: Start = { crowd, key: crowd, table, calls, atMs: Date.now() + 200 }
      const counts = workers.map((worker) => once(worker, 'message'))
      for (const worker of workers) worker.send(start)
      const answers = (await Promise.all(counts)).map(([count]: Count[]) => count)
      const sum = (field: keyof Count) => answers.reduce((total, count) => total + (count?.[field] ?? 0), 0)
      const admitted = crowd === 'uniform' ? 1 : limit
      expect({ admitted: sum('admitted'), refused: sum('refused'), elsewhere: sum('elsewhere') }).toEqual({
        admitted,
        refused: processes * calls - admitted,
        elsewhere: 0,
      })
    },
  )
})
