import { readLimitsText, type Tree, walk } from '@sluice/limits'
import { type Contender, microsecondsEach, type Pace, race } from './rounds.ts'
import { type Section, sectionOf } from './section.ts'

export const treeNames = {
  path: 'a path of four names, 1,000 names at each place',
  load: 'a file of 10,000 places',
}

const wide = 1000
const limits = '[15, 30, 60]'

/** What a tree of limits costs beyond its checks. */
export async function treeSections(pace: Pace): Promise<readonly Section[]> {
  const paths = await race([resolving()], pace, microsecondsEach)
  const loads = [{ name: treeNames.load, values: Array.from({ length: 9 }, loading()) }]
  return [
    sectionOf({ id: 'tree-path', title: 'Finding the limits of a path', unit: 'µs', ratiosTo: [] }, paths),
    sectionOf({ id: 'tree-load', title: 'Reading a file of limits', unit: 'ms', ratiosTo: [] }, loads),
  ]
}

/** Each place on the path has a thousand other names. */
function resolving(): Contender {
  const tree = readLimitsText(`schema:\n${deepNames(4, '  ')}`)
  const paths = Array.from({ length: wide }, (_, i) => ['n0', 'n0', 'n0', `n${(i * 7919) % wide}`])
  let at = 0
  return {
    name: treeNames.path,
    run(times) {
      let met = 0
      for (let i = 0; i < times; i++) {
        met += metBy(tree, paths[at] ?? [])
        at = at + 1 === paths.length ? 0 : at + 1
      }
      if (met !== 4 * times) throw new Error('A path has not met its four limits.')
    },
  }
}

function metBy(tree: Tree, path: readonly string[]): number {
  return walk(tree, path)?.met.length ?? 0
}

/** A thousand names at every inner place, as YAML. */
function deepNames(depth: number, indent: string): string {
  let text = ''
  for (let i = 0; i < wide; i++) {
    const leads = i === 0 && depth > 1
    text += `${indent}n${i}:\n${indent}  limits: ${limits}\n`
    if (leads) text += `${indent}  children:\n${deepNames(depth - 1, `${indent}    `)}`
  }
  return text
}

/** Reads a file with a given number of places; returns the time in ms. */
function loading(): () => number {
  let text = 'schema:\n  user:\n    children:\n'
  for (let i = 0; i < 9999; i++) text += `      user-${i}:\n        limits: ${limits}\n`
  return () => {
    const startedAt = performance.now()
    if (readLimitsText(text).levels.length !== 9999) throw new Error('A place is missing.')
    return performance.now() - startedAt
  }
}
