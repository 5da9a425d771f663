import { arch, cpus, platform } from 'node:os'
import type { Redis } from 'ioredis'

/** A description of the machine. */
export interface Machine {
  readonly cores: number
  readonly processor: string
  readonly system: string
  readonly node: string
  readonly redis: string
  /** How Redis was reached. */
  readonly over: string
  readonly day: string
}

export async function machineOf(client: Redis): Promise<Machine> {
  const redis = /redis_version:(\S+)/.exec(await client.info('server'))?.[1] ?? 'unknown'
  const { path } = client.options
  return { ...thisMachine(), redis, over: path ? 'a unix socket' : 'TCP on loopback' }
}

/** Where nothing is measured that counts in Redis. */
export function thisMachine(): Omit<Machine, 'redis' | 'over'> {
  const processors = cpus()
  return {
    cores: processors.length,
    processor: processors[0]?.model.trim() ?? 'unknown',
    system: `${platform()} ${arch()}`,
    node: process.versions.node,
    day: new Date().toISOString().slice(0, 10),
  }
}

export function sentenceOf({ cores, processor, system, node, redis, over, day }: Machine): string {
  return `Measured on ${day} with Node ${node} and Redis ${redis} on ${cores} cores (${processor}, ${system}), over ${over}.`
}
