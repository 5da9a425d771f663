import { Redis } from 'ioredis'
import type { Decision } from '../../src/index.ts'
import { type Order, slotsOn, storeOn } from './slots.ts'

// A process that holds places, as it is ordered to.
const [, , socket = '', name = ''] = process.argv
let losses = 0
const limiter = slotsOn(storeOn(new Redis({ path: socket })), name, () => losses++)
const held: Decision[] = []

function block(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

async function carryOut(order: Order): Promise<number> {
  switch (order.do) {
    case 'take': {
      const decisions = await Promise.all(Array.from({ length: order.times }, () => limiter.check('k')))
      held.push(...decisions.filter(({ allowed }) => allowed))
      return held.length
    }
    case 'release':
      await Promise.all(held.splice(0, order.times).map((decision) => decision.release()))
      return held.length
    case 'block':
      setImmediate(block, order.ms)
      return held.length
    case 'count losses':
      return losses
  }
}

process.on('message', (order: Order) => void carryOut(order).then((answer) => process.send?.(answer)))
process.send?.('ready')
