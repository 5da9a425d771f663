import { spawnSync } from 'node:child_process'

/**
 * Keeps a process on one core, if the system has `taskset`; otherwise returns false. Without it, a client and a
 * server share a core in one turn and not in the next, and a round trip between cores takes several times as long.
 */
export function pin(pid: number, core: number): boolean {
  return spawnSync('taskset', ['-p', '-c', String(core), String(pid)], { stdio: 'ignore' }).status === 0
}
