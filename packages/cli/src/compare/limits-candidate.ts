import type { Clock } from '@sluice/core'
import { memoryStore } from '@sluice/core'
import { loadLimits, type Tree } from '@sluice/limits'
import { type Candidate, type Contender, maxKeys, silent } from './candidate.ts'

/** A file of limits after reading. */
export interface LimitsFile {
  readonly file: string
  readonly text: string
  readonly tree: Tree
}

/** A file of limits to try, with variants in which all times are doubled and halved. */
export function limitsContender(limits: LimitsFile, keyedBy: string): Contender {
  return {
    keyedBy,
    candidate: limitsCandidate(limits, 1),
    tighter: limitsCandidate(limits, 0.5),
    looser: limitsCandidate(limits, 2),
  }
}

/** `speed`: the speed of its clock, which scales all windows and rates. */
function limitsCandidate({ file, text, tree }: LimitsFile, speed: number): Candidate {
  const count = tree.levels.length === 1 ? '1 limit' : `${tree.levels.length} limits`
  const hasLeases = tree.levels.some(({ policy }) => policy.strategy === 'concurrency')
  return {
    text: file,
    title: 'limits file',
    rule: speed === 1 ? count : `times ${speed < 1 ? 'twice' : 'half'} as long`,
    window: null,
    async open(clock) {
      const store = memoryStore({ clock: atSpeed(clock, speed), maxKeys: maxKeys })
      const limits = await loadLimits({ text, store, logger: silent })
      async function checkAndRelease(path: readonly string[], cost: number): ReturnType<typeof limits.check> {
        const decision = await limits.check(path, { cost })
        await decision.release()
        return decision
      }
      return {
        // A log does not say how long a request took, so leases are released at once.
        ask: ({ path, cost }) => (hasLeases ? checkAndRelease(path, cost) : limits.check(path, { cost })),
        keys: () => limits.health().keys,
        close: () => limits.close(),
      }
    },
  }
}

function atSpeed(clock: Clock, speed: number): Clock {
  return speed === 1 ? clock : { nowUs: () => Math.floor(clock.nowUs() * speed) }
}
