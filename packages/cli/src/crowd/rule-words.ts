import { pictureOf } from '@sluice/core/internal'
import { policyFrom } from '@sluice/core/strategies'
import type { PolicyOrder } from '../endpoint/index.ts'
import type { Rule } from './tests.ts'

/** The rule in words: `1 each in 10 s + 300 in 10 s`. */
export function ruleWords({ policies, visitMs }: Rule): string {
  const words = Object.values(policies)
    .filter(({ shadow }) => shadow !== true)
    .map(policyWords)
  return `${words.join(' + ')}${visitMs === undefined ? '' : `, ${visitMs} ms each`}`
}

function policyWords({ shadow: _, key, ...policy }: PolicyOrder): string {
  const { rule } = pictureOf(policyFrom(policy))
  return key === 'visitor' ? `${rule} per client` : rule
}
