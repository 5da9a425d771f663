import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { bundled } from '@sluice/faults/bundle'
import { socket } from '@sluice/faults/redis-socket'
import { type Count, type CrowdName, crowds, type Start } from './worker.ts'

const processes = 3
const callers = 5
const calls = 60

const program = bundled(path.join(import.meta.dirname, 'worker.ts'))
let workers: readonly ChildProcess[] = []

beforeAll(async () => {
  const file = await program()
  workers = Array.from({ length: processes }, () => fork(file, [socket]))
  await Promise.all(workers.map((worker) => once(worker, 'message')))
})

afterAll(async () => {
  await Promise.all(
    workers.map((worker) => {
      worker.disconnect()
      return once(worker, 'exit')
    }),
  )
})

describe('a crowd of several processes, all at once', () => {
  it.each(Object.keys(crowds) as CrowdName[])(
    'is admitted exactly as often as the limit says: %s',
    async (crowd) => {
      const start: Start = {
        crowd,
        key: randomBytes(6).toString('hex'),
        callers,
        calls,
        atMs: Date.now() + 200,
      }
      const counts = workers.map((worker) => once(worker, 'message'))
      for (const worker of workers) worker.send(start)
      const answers = (await Promise.all(counts)).map(([count]: Count[]) => count)
      const sum = (field: keyof Count) => answers.reduce((total, count) => total + (count?.[field] ?? 0), 0)
      const asked = processes * callers * calls
      const { limit } = crowds[crowd]
      expect({ admitted: sum('admitted'), refused: sum('refused') }).toEqual({
        admitted: limit,
        refused: asked - limit,
      })
    },
  )
})
