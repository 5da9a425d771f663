import { optionError } from '@sluice/core/internal'
import { UsageError } from '../../exit-code.ts'
import { asUsage } from '../as-usage.ts'
import { type PolicyData, policyData } from '../policy-text.ts'
import { usuallyWellBehaved } from '../well-behaved.ts'
import { searchOf, usual } from './numbers.ts'

/** The conditions that suggested numbers have to satisfy. */
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

/** undefined without `--suggest`. Throws a UsageError. */
export function readAim(flags: AimFlags): Aim | undefined {
  const { suggest, policy, limits } = flags
  if (suggest === undefined) return undefined
  if (limits !== undefined)
    throw new UsageError('--suggest finds numbers for policies, not for a file: leave out --limits')
  return {
    mostRefused: asUsage(`--suggest ${suggest}`, () => shareOf(suggest, 'suggest')),
    wellBehavedShare: readWellBehaved(flags),
    policies: policy.length === 0 ? usual : policy.map(readTemplate),
  }
}

/** The share of all clients that counts as well-behaved. Throws a UsageError. */
export function readWellBehaved({ wellBehaved }: AimFlags): number {
  if (wellBehaved === undefined) return usuallyWellBehaved
  return asUsage(`--well-behaved ${wellBehaved}`, () => shareOf(wellBehaved, 'well-behaved'))
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
