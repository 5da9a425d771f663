import { isOptionError } from '@sluice/core'
import type { Candidate } from '../candidate.ts'
import { policyCandidate } from '../policy-candidate.ts'
import { type PolicyData, textOf } from '../policy-text.ts'
import { Behaviour } from '../well-behaved.ts'
import type { Aim } from './aim.ts'
import type { Kept } from './kept.ts'
import { searchOf } from './numbers.ts'
import { codeOf, yamlOf } from './spelling.ts'
import type { Suggestion, Suggestions } from './suggestion.ts'
import { refusalsOf, refusesAtMost, type Scene } from './trial-run.ts'

/** Finds the tightest numbers for each policy by replaying the traffic repeatedly; calls `progress` with the number of finished policies. */
export async function suggest(
  kept: Kept,
  { mostRefused, wellBehavedShare, policies }: Aim,
  progress: (policies: number) => void = () => {},
): Promise<Suggestions> {
  const scene: Scene = { kept, wellBehaved: behaviourOf(kept).wellBehaved(wellBehavedShare) }
  const most = Math.floor(scene.wellBehaved.wellBehaved.clients * mostRefused)
  const found: Suggestion[] = []
  const notFound: string[] = []
  for (const [i, policy] of kept.size === 0 ? [] : policies.entries()) {
    progress(i)
    const data = await searchOf(policy)((tried) => passes(tried, most, scene))
    if (data === undefined) notFound.push(textOf(policy))
    else found.push(await suggestionOf(data, scene))
  }
  const { busiestMinute, wellBehaved, others } = scene.wellBehaved
  return { mostRefused, wellBehavedShare, busiestMinute, wellBehaved, others, found, notFound }
}

function behaviourOf(kept: Kept): Behaviour {
  const behaviour = new Behaviour()
  for (let at = 0; at < kept.size; at++) behaviour.add(kept.clientAt(at), kept.atUs(at))
  return behaviour
}

/** Numbers that the strategy does not accept do not pass. */
async function passes(data: PolicyData, most: number, scene: Scene): Promise<boolean> {
  const candidate = candidateOf(data)
  return candidate !== undefined && (await refusesAtMost(most, candidate, scene))
}

function candidateOf(data: PolicyData): Candidate | undefined {
  try {
    return policyCandidate(data)
  } catch (error) {
    if (isOptionError(error)) return undefined
    throw error
  }
}

async function suggestionOf(data: PolicyData, scene: Scene): Promise<Suggestion> {
  const refusals = await refusalsOf(policyCandidate(data), scene)
  return { text: textOf(data), code: codeOf(data), yaml: yamlOf(data), ...refusals }
}
