import { createLimiter, fixedWindow } from '@sluice/core'
import { realClock, stores } from '@sluice/core/internal'
import { takeSeat } from '../src/seats.ts'
import { HostStore } from '../src/store.ts'
import type { Checked, Order } from './child.ts'

// A process with a host store, which does as it is ordered.
const { folder, clock: startUs, file, deadline = '20s' } = JSON.parse(process.argv[2] ?? '{}')
let nowUs: number | undefined = startUs
const clock = { nowUs: () => nowUs ?? realClock.nowUs() }
const inner = new HostStore({ takeSeat: () => takeSeat(folder), maxKeys: 100_000, clock, file })
const store = stores.guard(inner, stores.readGuardOptions({ deadline, connectDeadline: '20s' }))
const limiter = createLimiter({ policy: fixedWindow({ limit: 100, window: '1h' }), store })

async function check(key: string, times: number): Promise<Checked> {
  const decisions = await Promise.all(Array.from({ length: times }, () => limiter.check(key)))
  const admitted = decisions.filter(({ allowed }) => allowed)
  const byStore = admitted.filter(({ source }) => source === 'host').length
  return { byStore, alone: admitted.length - byStore }
}

async function carryOut(order: Order): Promise<unknown> {
  switch (order.do) {
    case 'set clock':
      nowUs = order.us
      return 'set'
    case 'check':
      return check(order.key, order.times)
    case 'close':
      await limiter.close()
      await store.close()
      return 'closed'
  }
}

process.on('message', (order: Order) => void carryOut(order).then((answer) => process.send?.(answer)))
store.ready?.().then(
  () => process.send?.('ready'),
  (error: unknown) => process.send?.(String(error)),
)
