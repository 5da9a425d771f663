import { optionError } from '@sluice/core/internal'
import { UsageError } from '../../exit-code.ts'
import { asUsage } from '../as-usage.ts'
import { type PolicyData, policyData } from '../policy-text.ts'
import { searchOf, usual } from './numbers.ts'

/** What suggested numbers have to satisfy. */
export interface Aim {
  /** Share of the well-behaved clients that may be refused. */
  readonly mostRefused: number
  /** Share of all clients that counts as well-behaved. */
  readonly wellBehavedShare: number
  /** Policies whose strategies and times are kept and whose numbers are searched for. */
  readonly policies: readonly PolicyData[]
}

/** The flags for it. */
export interface AimFlags {
  readonly suggest?: string
  readonly wellBehaved?: string
  readonly policy: readonly string[]
  readonly limits?: string
}

const usuallyWellBehaved = 0.95

/** undefined without `--suggest`. Throws a UsageError. */
export function readAim({ suggest, wellBehaved, policy, limits }: AimFlags): Aim | undefined {
  if (suggest === undefined && wellBehaved !== undefined)
    throw new UsageError('--well-behaved needs --suggest, which finds numbers for those clients')
  if (suggest === undefined) return undefined
  if (limits !== undefined)
    throw new UsageError('--suggest finds numbers for policies, not for a file: leave out --limits')
  return {
    mostRefused: asUsage(`--suggest ${suggest}`, () => shareOf(suggest, 'suggest')),
    wellBehavedShare:
      wellBehaved === undefined
        ? usuallyWellBehaved
        : asUsage(`--well-behaved ${wellBehaved}`, () => shareOf(wellBehaved, 'well-behaved')),
    policies: policy.length === 0 ? usual : policy.map(readTemplate),
  }
}

function readTemplate(text: string): PolicyData {
  return asUsage(`--policy ${text}`, () => {
    const data = policyData(text)
    searchOf(data)
    return data
  })
}

/** Reads `1%` or `1` as 0.01. */
function shareOf(text: string, option: string): number {
  const [, percent] = /^(\d+(?:\.\d+)?)\s*%?$/.exec(text.trim()) ?? []
  const share = percent === undefined ? Number.NaN : Number(percent) / 100
  if (share >= 0 && share <= 1) return share
  throw optionError(option, 'a percentage from 0 to 100 such as 1%', text)
}
