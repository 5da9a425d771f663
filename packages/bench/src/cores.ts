import { spawnSync } from 'node:child_process'

/**
 * Keeps a process on one core, where the system has `taskset`; false where it cannot. Left to the system a client and a
 * server share a core in one turn and not in the next, and a round trip between cores takes several times as long.
 */
export function pin(pid: number, core: number): boolean {
  return spawnSync('taskset', ['-p', '-c', String(core), String(pid)], { stdio: 'ignore' }).status === 0
}
