import cluster from 'node:cluster'
import { createLimiter, fixedWindow } from '@sluice/core'
import { hostStore } from '../src/index.ts'

// Three workers of node:cluster ask at once for one key, of which a hundred are admitted.
const [, , folder = ''] = process.argv
const workers = 3

if (cluster.isPrimary) {
  let admitted = 0
  let answers = 0
  for (let i = 0; i < workers; i++) {
    const worker = cluster.fork()
    worker.on('message', (count: number) => {
      admitted += count
      worker.disconnect()
      if (++answers === workers) console.log(JSON.stringify({ workers, admitted }))
    })
  }
} else {
  const store = hostStore({ path: folder, deadline: '20s', connectDeadline: '20s' })
  const limiter = createLimiter({ policy: fixedWindow({ limit: 100, window: '1h' }), store })
  const decisions = await Promise.all(Array.from({ length: 60 }, () => limiter.check('k')))
  process.send?.(decisions.filter(({ allowed }) => allowed).length)
}
