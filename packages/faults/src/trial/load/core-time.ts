import { readFileSync } from 'node:fs'

/** How much time a process has had on the cores. */
export interface CoreTime {
  /** For how long it ran. */
  readonly ranMs: number
  /** For how long it could have run while others had the cores. */
  readonly waitedMs: number
}

/** Both are 0 where the system does not say; Linux does. */
export function coreTimeOf(pid: number): CoreTime {
  try {
    const [ranNs, waitedNs] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')
    return { ranMs: Number(ranNs) / 1e6, waitedMs: Number(waitedNs) / 1e6 }
  } catch {
    return { ranMs: 0, waitedMs: 0 }
  }
}
