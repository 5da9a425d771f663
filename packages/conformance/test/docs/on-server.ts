import { test } from '@jest/globals'
import { serverVersion } from '@sluice/faults/outage'

const { name, major, minor } = serverVersion()
const here = `${name} ${major}.${minor}`

/** What a server takes for a key changes from version to version: a test on the one that a page names, else a skip, and why. */
export function onServer(named: string): { readonly ofSizes: typeof test.skip; readonly why: string } {
  if (here === named) return { ofSizes: test, why: '' }
  return { ofSizes: test.skip, why: ` (skipped: this is ${here}, and the page names ${named})` }
}

/** Redis 7.0 alone refuses to permit what it does not know. */
export const takesSetInfo: boolean = here !== 'Redis 7.0'
export const isOldest: boolean = here === 'Redis 6.2'
