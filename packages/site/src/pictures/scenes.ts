import { columnCount } from '../playground/drawn.ts'
import { strategyNames, type Written, writtenAs } from '../playground/policy.ts'
import { firstScene, type Scene } from '../playground/scene.ts'

/** One request, then a limit's worth on each side of a border, then half as much again as the rate, then a burst. */
const columns: readonly number[] = Array.from({ length: columnCount }, (_, second) => {
  if (second === 0) return 1
  if (second === 9) return 19
  if (second === 10) return 20
  if (second === 34) return 25
  return second >= 20 && second < 30 ? 3 : 0
})

const numbers = { units: 20, span: '10s' }

/** Where twenty per ten seconds would not show what the strategy is for. */
const others: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  concurrency: { limit: '5' },
  multiWindow: { limits: '5/1s, 20/10s' },
}

/** What the picture of a strategy shows, and a link to the playground opens: the same requests for all. */
export function sceneOfPicture(strategy: string): Scene {
  const written: Written = writtenAs(strategy, numbers)
  const policy = { strategy, fields: others[strategy] ?? written.fields }
  return { ...firstScene, traffic: { kind: 'drawn', columnMs: 1000, columns }, policies: [policy] }
}

export const picturedStrategies: readonly string[] = strategyNames
