import { openSync, writeSync } from 'node:fs'
import { Redis } from 'ioredis'
import { createLimiter, redisStore } from '../../src/index.ts'
import { hotPolicy as policy } from './hot-policy.ts'

// A process that asks for one key at a steady rate until it is told to end, and writes down what it was admitted.
const [, , socket = '', name = '', rate = '', file = ''] = process.argv
const store = redisStore(new Redis({ path: socket }), { deadline: '2s' })
const logger = { warn() {}, error() {} }
const limiter = createLimiter({ name, policy, store, ahead: '50ms', onStoreFailure: 'deny', logger })
const admissions = openSync(file, 'a')

/** By the machine's clock, which all its processes share. */
function nowNs(): bigint {
  return process.hrtime.bigint()
}

/** Written at once: what was admitted outlasts a process that is killed. */
async function ask(): Promise<void> {
  const asked = nowNs()
  const { allowed } = await limiter.check('hot')
  if (allowed) writeSync(admissions, BigInt64Array.of(asked, nowNs()))
}

async function end(): Promise<void> {
  clearInterval(ticker)
  await limiter.close()
  await store.close()
  process.exit(0)
}

let ticker: NodeJS.Timeout | undefined
function begin(): void {
  const startedAt = performance.now()
  let asked = 0
  ticker = setInterval(() => {
    const due = ((performance.now() - startedAt) * Number(rate)) / 1000
    // After it was stopped it does not ask for what it has missed.
    if (due - asked > Number(rate) / 20) asked = Math.floor(due)
    for (; asked < due; asked++) void ask()
  }, 1)
}

process.on('message', (order) => (order === 'begin' ? begin() : void end()))
void limiter.ready().then(() => process.send?.('ready'))
