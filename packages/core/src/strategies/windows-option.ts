import { optionError } from '../errors.ts'
import { checkNames, unknownNames, wholeNumber } from '../options.ts'
import { durationUs } from '../units.ts'
import type { Asked, Window } from './options.ts'
import { readAmount } from './unit.ts'

/** The same windows with limits in units; a value that is no list of such windows stays as it is. */
export function windowsInUnits(value: unknown, name: string, scale: number): unknown {
  return Array.isArray(value)
    ? value.map((each: unknown, i) => windowInUnits(each, `${name}[${i}]`, scale))
    : value
}

function windowInUnits(window: unknown, path: string, scale: number): unknown {
  if (typeof window !== 'object' || window === null || !('limit' in window)) return window
  return { ...window, limit: readAmount(window.limit, `${path}.limit`, scale) }
}

/** Limits of several windows, the shortest first. */
export function readWindows(value: unknown, { name, option, words }: Asked): readonly Window[] {
  const max = option.kind === 'windows' ? option.max : 0
  if (!Array.isArray(value) || value.length === 0 || value.length > max)
    throw optionError(name, `a list of 1 to ${max} limits such as { limit: 1000, window: "1s" }`, value)
  const windows = value.map((each: { limit: unknown; window: unknown }, i) => {
    const path = `${name}[${i}]`
    checkNames(each, path, ['limit', 'window'], unknownNames(words))
    return {
      limit: wholeNumber(each.limit, `${path}.limit`, 0),
      windowUs: durationUs(each.window, `${path}.window`, words?.duration),
    }
  })
  windows.sort((a, b) => a.windowUs - b.windowUs)
  for (const [i, { limit, windowUs }] of windows.entries()) {
    const shorter = windows[i - 1]
    if (shorter === undefined || (limit > shorter.limit && windowUs > shorter.windowUs)) continue
    const expected = `higher limits for longer windows (more than ${shorter.limit} in the longer one)`
    throw optionError(name, expected, limit)
  }
  return windows
}
