import { readFileSync } from 'node:fs'

/** For how long in all a process could have gone on, and others had the cores. 0 where the system does not tell; Linux does. */
export function withoutCoreMs(pid: number): number {
  try {
    const [, waitedNs] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')
    return Number(waitedNs) / 1e6
  } catch {
    return 0
  }
}
