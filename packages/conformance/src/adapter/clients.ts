import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { expect } from '@jest/globals'
import { fixedWindow, memoryStore } from '@sluice/core'
import type { Scenario } from './scenario.ts'

/** Clients that repeat a refused request by themselves. They are ES modules: a thread of their own loads them. */
const names = ['got', 'ky', 'undici'] as const

interface Answered {
  readonly name: string
  readonly status: number
  readonly tookMs: number
}

function letAllAsk(url: string): Promise<readonly Answered[]> {
  return new Promise((resolve, reject) => {
    const file = fileURLToPath(new URL('./retrying-clients.mjs', import.meta.url))
    const worker = new Worker(file, { workerData: { url, names } })
    worker.once('message', resolve)
    worker.once('error', reject)
  })
}

/** On one server: what they go by is the same fields on all, which every adapter's own scenarios compare. */
export const clients: readonly Scenario[] = [
  {
    title: 'got, ky and undici come back when they are admitted, not earlier',
    async run(world) {
      const observed: { readonly [name: string]: boolean[] } = { got: [], ky: [], undici: [] }
      const observers = [
        {
          decided: ({ key, allowed }: { key: unknown; allowed: boolean }) =>
            observed[String(key)]?.push(allowed),
        },
      ]
      const policy = fixedWindow({ limit: 1, window: '1s' })
      const client = await world.limited({ ...world.tickets({ policy, observers }), store: memoryStore() })
      const answers = await letAllAsk(client.url)
      for (const { name, status, tookMs } of answers) {
        expect([name, status, observed[name]]).toEqual([name, 200, [true, false, true]])
        expect(tookMs).toBeGreaterThanOrEqual(900)
      }
      expect(answers.map(({ name }) => name).sort()).toEqual([...names])
    },
  },
]
