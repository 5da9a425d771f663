import { createLimiter, fixedWindow, redisStore } from '../../src/index.ts'

/** What a program prints that asks, each failure choice in turn, closes, and has nothing left to do then. */
export interface Printed {
  readonly answers: readonly Answer[]
  readonly doneAtMs: number
}

interface Answer {
  readonly choice: 'local' | 'allow' | 'deny'
  readonly source: string
  readonly allowed: boolean
}

async function run(url: string): Promise<void> {
  const store = redisStore(url)
  const policy = fixedWindow({ limit: 3, window: '1h' })
  const answers: Answer[] = []
  for (const choice of ['local', 'allow', 'deny'] as const) {
    const limiter = createLimiter({
      name: choice,
      store,
      policy,
      onStoreFailure: choice,
      logger: { warn() {}, error() {} },
    })
    for (let i = 0; i < 3; i++) {
      const decision = await limiter.check('bob')
      answers.push({ choice, source: decision.source, allowed: decision.allowed })
      // Nobody waits for these.
      void decision.refund()
      void limiter.penalize('bob', 1)
    }
    await limiter.close()
  }
  await store.close()
  const printed: Printed = { answers, doneAtMs: Date.now() }
  process.stdout.write(JSON.stringify(printed))
}

const [, , url] = process.argv
if (url !== undefined) void run(url)
