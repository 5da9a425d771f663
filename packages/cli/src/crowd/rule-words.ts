import { pictures } from '@sluice/core/internal'
import { policyFrom } from '@sluice/core/strategies'
import type { PolicyOrder } from '../endpoint/index.ts'
import type { Rule } from './tests.ts'
import { windowMs } from './window.ts'

/** The rule in words: `1 each in 10 s + 300 in 10 s`. */
export function ruleWords({ policies, visitMs }: Rule): string {
  const words = Object.values(policies)
    .filter(({ shadow }) => shadow !== true)
    .map(policyWords)
  return `${words.join(' + ')}${visitMs === undefined ? '' : `, ${visitMs} ms each`}`
}

/** The most that the policies for everybody allow in one window of the test; null if none of them says so. */
export function boundOf({ policies }: Rule): number | null {
  const bounds = Object.values(policies).flatMap(({ shadow: _, key, ...policy }) => {
    const { most, mostIn, windowUs, shape } = pictures.pictureOf(policyFrom(policy))
    if (key !== 'everybody' || shape === 'in-flight') return []
    if (mostIn !== undefined) return [mostIn(windowMs * 1000)]
    return most === null || windowUs !== windowMs * 1000 ? [] : [most]
  })
  return bounds.length === 0 ? null : Math.min(...bounds)
}

function policyWords({ shadow: _, key, ...policy }: PolicyOrder): string {
  const { rule } = pictures.pictureOf(policyFrom(policy))
  return key === 'visitor' ? `${rule} per client` : rule
}
