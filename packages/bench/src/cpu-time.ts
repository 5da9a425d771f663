import type { Redis } from 'ioredis'

/** CPU time of this process so far. */
export function ownCpuUs(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

/** CPU time of a server so far. `thread`: of the one that answers, without those that only serve it. */
export async function serverCpuUs(client: Redis, thread: '' | '_main_thread' = ''): Promise<number> {
  const text = await client.info('cpu')
  const seconds = (kind: string) => Number(new RegExp(`^used_cpu_${kind}${thread}:(.*)`, 'm').exec(text)?.[1])
  return (seconds('sys') + seconds('user')) * 1e6
}
