import { isOptionError } from '@sluice/core'
import { UsageError } from '../exit-code.ts'

/** What the work answers; an option that it refuses is told as a mistake of the command line, behind what was typed. */
export function asUsage<T>(typed: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw isOptionError(error) ? new UsageError(`${typed}: ${error.message}`) : error
  }
}
