import { isOptionError } from '@sluice/core'
import { UsageError } from '../exit-code.ts'

/** Runs the work; turns an OptionError into a UsageError that begins with what was typed. */
export function asUsage<T>(typed: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw isOptionError(error) ? new UsageError(`${typed}: ${error.message}`) : error
  }
}
