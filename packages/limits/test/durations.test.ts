import { describe, expect, it } from '@jest/globals'

import * as strategies from '@sluice/core/strategies'
import { parse } from 'yaml'
import { readLimitsData } from '../src/read.ts'
import { good } from './examples.ts'
import { errorOf } from './problems.ts'

type Options = { readonly strategy: string; readonly [option: string]: unknown }

const names = Object.keys(strategies).filter((name) => name !== 'policyFrom')

/** A policy of each strategy with all its options. */
const samples = names.map((name): Options => {
  const { text } = good.find(({ title }) => title === name) ?? { text: '' }
  return parse(text).schema.user.limits
})

function isTaken(options: Options): boolean {
  try {
    strategies.policyFrom(options)
    return true
  } catch {
    return false
  }
}

/** What core takes as a number of milliseconds and as a text with a unit: the options that are times. */
const times = samples.flatMap((options) =>
  Object.keys(options)
    .filter((name) => isTaken({ ...options, [name]: 100 }) && isTaken({ ...options, [name]: '100ms' }))
    .map((name) => ({ name, options })),
)

describe('a time needs a unit in a file, as there a number says nothing of seconds or milliseconds', () => {
  it('of every strategy', () => {
    expect(new Set(times.map(({ options }) => options.strategy))).toEqual(new Set(names))
  })

  it.each(times)('$options.strategy, $name', ({ name, options }) => {
    const error = errorOf(() => readLimitsData({ schema: { user: { limits: { ...options, [name]: 100 } } } }))
    const expected = 'a duration with a unit such as "10s"'
    expect(error?.problems).toMatchObject([
      { path: `schema.user.limits.${name}`, expected, got: '100 (number)' },
    ])
  })
})
