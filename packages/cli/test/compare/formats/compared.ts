import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Comparison } from '../../../src/compare/comparison.ts'
import { compare } from '../../../src/compare/run-compare.ts'
import { type Flags, readSettings } from '../../../src/compare/settings.ts'

/** What `sluice compare access.log --policy slidingWindowLog:60/1m` finds, with other options. */
export function comparedIn(
  folder: string,
): (content: string | Buffer, options?: Partial<Flags>) => Promise<Comparison> {
  return (content, options) => {
    const file = path.join(folder, 'access.log')
    writeFileSync(file, content)
    const usual = { policy: ['slidingWindowLog:60/1m'], key: 'ip', format: 'auto', field: [], trust: [] }
    return compare(readSettings([file], { ...usual, ...options }))
  }
}
