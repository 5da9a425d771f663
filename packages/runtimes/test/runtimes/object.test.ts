import path from 'node:path'
import { expect, it } from '@jest/globals'
import { bundleForWorkers, serveWorker } from '@sluice/runtimes'

it('on the storage of a Durable Object, transactions are what a store of states asks for', async () => {
  const module = await bundleForWorkers(path.join(__dirname, '../../src/programs/object.ts'))
  const worker = await serveWorker(module, { objects: { LIMITS: 'Limits' } })
  try {
    const text = await (await fetch(worker.url)).text()
    expect(`${text}${worker.output()}`).toBe('{"cases":5,"failures":[]}')
  } finally {
    await worker.close()
  }
})
