import { optionError } from '@sluice/core/internal'
import { UsageError } from '../../exit-code.ts'
import { asUsage } from '../as-usage.ts'
import { type PolicyData, policyData } from '../policy-text.ts'
import { seekerOf, usual } from './numbers.ts'

/** What numbers are sought for. */
export interface Aim {
  /** Part of the well-behaved clients that may be refused. */
  readonly mostRefused: number
  /** Part of all clients that counts as well-behaved. */
  readonly wellBehavedShare: number
  /** Their strategies and times are kept, their numbers are sought. */
  readonly policies: readonly PolicyData[]
}

/** The flags that say it. */
export interface AimFlags {
  readonly suggest?: string
  readonly wellBehaved?: string
  readonly policy: readonly string[]
  readonly limits?: string
}

const usuallyWellBehaved = 0.95

/** undefined where nothing is to be suggested. Throws a UsageError. */
export function readAim({ suggest, wellBehaved, policy, limits }: AimFlags): Aim | undefined {
  if (suggest === undefined && wellBehaved !== undefined)
    throw new UsageError('--well-behaved needs --suggest, which seeks numbers for those clients')
  if (suggest === undefined) return undefined
  if (limits !== undefined)
    throw new UsageError('--suggest seeks the numbers of policies, not those of a file: leave --limits out')
  return {
    mostRefused: asUsage(`--suggest ${suggest}`, () => shareOf(suggest, 'suggest')),
    wellBehavedShare:
      wellBehaved === undefined
        ? usuallyWellBehaved
        : asUsage(`--well-behaved ${wellBehaved}`, () => shareOf(wellBehaved, 'well-behaved')),
    policies: policy.length === 0 ? usual : policy.map(readSought),
  }
}

function readSought(text: string): PolicyData {
  return asUsage(`--policy ${text}`, () => {
    const data = policyData(text)
    seekerOf(data)
    return data
  })
}

/** `1%`, or `1` for the same, as a hundredth. */
function shareOf(text: string, option: string): number {
  const [, percent] = /^(\d+(?:\.\d+)?)\s*%?$/.exec(text.trim()) ?? []
  const share = percent === undefined ? Number.NaN : Number(percent) / 100
  if (share >= 0 && share <= 1) return share
  throw optionError(option, 'a percentage from 0 to 100 such as 1%', text)
}
