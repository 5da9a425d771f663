import { createLimiter, isOptionError, memoryStore } from '@sluice/core'
import { pictures } from '@sluice/core/internal'
import { policyFrom } from '@sluice/core/strategies'
import { type Candidate, type Contender, maxKeys, silent } from './candidate.ts'
import { type PolicyData, textOf } from './policy-text.ts'
import { scaled } from './scaled.ts'

/** A policy to try. Throws an OptionError for invalid data. */
export function policyCandidate(data: PolicyData, text: string = textOf(data)): Candidate {
  const policy = policyFrom(data)
  const { title, rule, windowUs, most } = pictures.pictureOf(policy)
  return {
    text,
    title,
    rule,
    window: { us: windowUs, most },
    async open(clock) {
      const store = memoryStore({ clock, maxKeys: maxKeys })
      const limiter = createLimiter({ policy, store, logger: silent })
      return {
        ask: ({ key, cost }) => limiter.check(key, cost === 1 ? undefined : { cost }),
        keys: () => limiter.health().keys,
        close: () => limiter.close(),
      }
    },
  }
}

/** A policy with its half and its double. Throws an OptionError for invalid data. */
export function policyContender(data: PolicyData, text: string, keyedBy: string): Contender {
  const candidate = policyCandidate(data, text)
  return { keyedBy, candidate, tighter: variant(data, 0.5), looser: variant(data, 2) }
}

/** null if the strategy cannot have such numbers: half of 1, or more than its maximum. */
function variant(data: PolicyData, times: number): Candidate | null {
  const other = scaled(data, times)
  if (other === undefined) return null
  try {
    return policyCandidate(other)
  } catch (error) {
    if (isOptionError(error)) return null
    throw error
  }
}
