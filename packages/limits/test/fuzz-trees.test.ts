import { describe, expect, it } from '@jest/globals'
import { memoryStore } from '@sluice/core'
import { manualClock } from '@sluice/testing'
import fc from 'fast-check'
import { loadLimits } from '../src/index.ts'
import { names, type Place, placesData, trees } from './trees.ts'

const runs = { numRuns: 500 }

function patternOf(path: readonly string[]): string {
  return path.map((name) => name.replaceAll('%', '%25').replaceAll('/', '%2F')).join('/')
}

/** What a path meets, by a walk of its own: the limits by level, or `denied`. */
function metBy(
  places: ReadonlyMap<string, Place>,
  path: readonly string[],
): ReadonlyMap<string, number> | 'denied' {
  let met = new Map<string, number>()
  let here = places
  const way: string[] = []
  for (const name of path) {
    const taken = here.has(name) ? name : '*'
    const place = here.get(taken)
    if (place === undefined) break
    way.push(taken)
    if (place.does === 'deny') return 'denied'
    if (place.does === 'unlimited') met = new Map()
    else if (typeof place.does === 'number') met.set(patternOf(way), place.does)
    else
      for (const [policy, most] of Object.entries(place.does ?? {}))
        met.set(patternOf([...way, policy]), most)
    here = place.children
  }
  return met
}

function limitAny(places: ReadonlyMap<string, Place>): boolean {
  return [...places.values()].some(({ does, children }) => does !== undefined || limitAny(children))
}

type Step = { readonly at: number; readonly stray: string | null }

function pathAlong(places: ReadonlyMap<string, Place>, steps: readonly Step[]): readonly string[] {
  let here = places
  return steps.map(({ at, stray }) => {
    const known = [...here.keys()]
    const name = stray ?? known[at % known.length] ?? 'nowhere'
    here = here.get(name)?.children ?? new Map()
    // Any name stands for the star, but not the star itself.
    return name === '*' ? 'somebody' : name
  })
}

const quiet = { warn: () => {}, error: () => {} }

describe('a tree of names of any kind', () => {
  // At each place a name that it has, so that the path goes on, or one that it may not have.
  const step = fc.record({ at: fc.nat(2), stray: fc.option(names, { freq: 2 }) })
  const steps = fc.array(step, { minLength: 1, maxLength: 5 })

  it('limits each path by what stands on its way, and no other', async () => {
    const property = fc.asyncProperty(trees, steps, async (places, way) => {
      const path = pathAlong(places, way)
      const store = memoryStore({ clock: manualClock() })
      const loading = loadLimits({ tree: { schema: placesData(places) }, store, logger: quiet })
      if (!limitAny(places)) return expect(loading).rejects.toMatchObject({ code: 'SLUICE_LIMITS' })
      const limits = await loading
      const met = metBy(places, path)
      const decision = await limits.check(path)
      if (met === 'denied') return expect(decision).toMatchObject({ allowed: false, reason: 'denied' })
      expect(Object.keys(decision.verdicts).sort()).toEqual([...met.keys()].sort())
      expect(Object.keys(await limits.inspect(path)).sort()).toEqual([...met.keys()].sort())
      for (const most of met.values()) for (let i = 0; i < most; i++) await limits.check(path)
      expect((await limits.check(path)).allowed).toBe(met.size === 0)
    })
    await fc.assert(property, runs)
  })
})
