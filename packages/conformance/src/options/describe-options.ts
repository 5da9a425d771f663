import { describe, expect, it } from '@jest/globals'
import type { OptionError } from '@sluice/core'
import fc from 'fast-check'
import { misspelt, nonsense, replaced } from './nonsense.ts'

/** Whether a value makes sense at a place; undefined always does. */
export type Means = (value: unknown) => boolean

export const never: Means = () => false
export const truth: Means = (value) => typeof value === 'boolean'
export const count: Means = (value) => Number.isSafeInteger(value) && Number(value) >= 1
export const aFunction: Means = (value) => typeof value === 'function'

/** One value, or one for each policy; where the policies are known, by their names. */
export function perPolicy(means: Means, names?: readonly string[]): Means {
  return (value) => {
    if (typeof value !== 'object' || value === null) return means(value)
    const prototype: unknown = Object.getPrototypeOf(value)
    return (
      (prototype === null || prototype === Object.prototype) &&
      Object.entries(value).every(
        ([name, each]) => names?.includes(name) !== false && (each === undefined || means(each)),
      )
    )
  }
}

/** What a user gives options to. */
export interface Made<T> {
  readonly name: string
  /** Right options, every one of them. */
  readonly right: object
  /** The options, and places within such as `limits[0].window`. */
  readonly places: { readonly [place: string]: Means }
  /** Options that are reported as wrong where another one is nonsense. */
  readonly related?: readonly string[]
  make(options: object): T | Promise<T>
  /** What was made all the same limits. */
  judge(made: T, options: object): Promise<void>
}

const runs = { numRuns: 400 }
/** Hundreds of limiters, on a machine that may do other things meanwhile. */
const patience = 30_000

/** The option that a place is in: `limits[0].window` → `limits`. */
function optionOf(place: string): string {
  return place.split(/[.[]/, 1)[0] ?? ''
}

/** What is thrown must say in one line where something is wrong, what was expected and what came. */
function asComplaint(error: unknown): OptionError {
  expect(error).toBeInstanceOf(TypeError)
  expect(error).toMatchObject({ code: 'SLUICE_OPTION', path: expect.stringMatching(/./) })
  const complaint = error as OptionError // by its code
  expect(complaint.message.startsWith(`${complaint.path}: expected `)).toBe(true)
  expect(complaint.message).toMatch(/, got .[^\n]*$/)
  return complaint
}

async function attempt<T>(
  make: () => T | Promise<T>,
): Promise<{ made: T; complaint?: undefined } | { complaint: OptionError }> {
  try {
    return { made: await make() }
  } catch (error) {
    return { complaint: asComplaint(error) }
  }
}

/** Whatever stands where an option should, the error names it, or it does no harm. */
export function describeOptions<T>({ name, right, places, related = [], make, judge }: Made<T>): void {
  const names = Object.keys(right)

  describe(`options of ${name}`, () => {
    it(
      'that are nonsense are named in an error, or it limits all the same',
      async () => {
        const given = fc.record({ place: fc.constantFrom(...Object.keys(places)), value: nonsense })
        const property = fc.asyncProperty(given, async ({ place, value }) => {
          const options = replaced(right, place, value)
          const { complaint, ...done } = await attempt(() => make(options))
          if (complaint !== undefined) {
            expect([optionOf(place), ...related]).toContain(optionOf(complaint.path))
            return
          }
          expect(value === undefined || places[place]?.(value)).toBe(true)
          if ('made' in done) await judge(done.made, options)
        })
        await fc.assert(property, runs)
      },
      patience,
    )

    it(
      'that are misspelt are named in an error, with one that is near',
      async () => {
        const wrong = fc.constantFrom(...names).chain((each) => fc.tuple(fc.constant(each), misspelt(each)))
        const property = fc.asyncProperty(wrong, async ([each, as]) => {
          const known = [...names, ...related]
          fc.pre(!known.includes(as))
          const { [each as never]: value, ...others } = right
          const { complaint } = await attempt(() => make({ ...others, [as]: value }))
          expect(complaint?.path).toBe(as)
          expect(known).toContain(
            /a known option \(did you mean "(\w+)"\?\)/.exec(complaint?.message ?? '')?.[1],
          )
        })
        await fc.assert(property, runs)
      },
      patience,
    )
  })
}
