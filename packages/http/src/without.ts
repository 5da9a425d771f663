import { type NotApplicable, notApplicable } from '@sluice/core'
import { limiters, optionError } from '@sluice/core/internal'

/** Policies by name, each with a choice per request that always says that it does not apply. */
export type Without = { readonly [name: string]: () => NotApplicable }

function notHere(): NotApplicable {
  return notApplicable
}

/** Reads `without`: which policies of all routes do not apply on one. `names` are theirs, undefined where they are not known. */
export function readWithout(without: unknown, names: readonly string[] | undefined): Without {
  if (without === undefined) return {}
  if (!Array.isArray(without)) throw optionError('without', 'a list of names of policies', without)
  if (names === undefined)
    throw optionError(
      'without',
      'nothing here, as the limiter of all routes has no policies by name',
      without,
    )
  const unknown = without.find((name) => !names.includes(name))
  if (unknown !== undefined) throw limiters.unknownPolicy('without', String(unknown), names)
  return Object.fromEntries(without.map((name) => [name, notHere]))
}
