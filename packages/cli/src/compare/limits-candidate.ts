import type { Clock } from '@sluice/core'
import { memoryStore } from '@sluice/core'
import { loadLimits, type Tree } from '@sluice/limits'
import { type Candidate, type Contender, mostKeys, silent } from './candidate.ts'

/** A file of limits, as it was read. */
export interface LimitsFile {
  readonly file: string
  readonly text: string
  readonly tree: Tree
}

/** A file of limits to be tried, with all its times twice as long and half as long beside it. */
export function limitsContender(limits: LimitsFile, keyedBy: string): Contender {
  return {
    keyedBy,
    candidate: limitsCandidate(limits, 1),
    tighter: limitsCandidate(limits, 0.5),
    looser: limitsCandidate(limits, 2),
  }
}

/** `speed`: of the clock on which its windows and rates are counted. */
function limitsCandidate({ file, text, tree }: LimitsFile, speed: number): Candidate {
  const count = tree.levels.length === 1 ? '1 limit' : `${tree.levels.length} limits`
  const frees = tree.levels.some(({ policy }) => policy.strategy === 'concurrency')
  return {
    text: file,
    title: 'limits file',
    rule: speed === 1 ? count : `times ${speed < 1 ? 'twice' : 'half'} as long`,
    window: null,
    async open(clock) {
      const store = memoryStore({ clock: atSpeed(clock, speed), maxKeys: mostKeys })
      const limits = await loadLimits({ text, store, logger: silent })
      async function askAndFree(path: readonly string[], cost: number): ReturnType<typeof limits.check> {
        const decision = await limits.check(path, { cost })
        await decision.release()
        return decision
      }
      return {
        // How long a request took is not known: what is in flight is over at once.
        ask: ({ path, cost }) => (frees ? askAndFree(path, cost) : limits.check(path, { cost })),
        keys: () => limits.health().keys,
        close: () => limits.close(),
      }
    },
  }
}

function atSpeed(clock: Clock, speed: number): Clock {
  return speed === 1 ? clock : { nowUs: () => Math.floor(clock.nowUs() * speed) }
}
