import cluster from 'node:cluster'
import { createLimiter, fixedWindow } from '@sluice/core'
import { hostStore } from '../src/index.ts'

// Three workers of node:cluster ask at once for one key, of which a hundred are admitted.
const [, , folder = ''] = process.argv
const workers = 3

const store = hostStore({ path: folder, deadline: '20s', connectDeadline: '20s' })

if (cluster.isPrimary) {
  // It holds the counts for as long as any worker is there.
  await store.ready?.()
  let admitted = 0
  let running = workers
  for (let i = 0; i < workers; i++) {
    cluster.fork().on('message', (count: number) => {
      admitted += count
    })
  }
  cluster.on('exit', () => {
    if (--running > 0) return
    console.log(JSON.stringify({ workers, admitted }))
    void store.close()
  })
} else {
  const limiter = createLimiter({ policy: fixedWindow({ limit: 100, window: '1h' }), store })
  const decisions = await Promise.all(Array.from({ length: 60 }, () => limiter.check('k')))
  process.send?.(decisions.filter(({ allowed }) => allowed).length)
  await store.close()
  cluster.worker?.disconnect()
}
