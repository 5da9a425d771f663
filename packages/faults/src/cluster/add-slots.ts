import type { Redis } from 'ioredis6'

/** Gives slots to a server of a cluster, one by one: ADDSLOTSRANGE exists only since Redis 7.0. */
export async function addSlots(client: Pick<Redis, 'call'>, from: number, to: number): Promise<void> {
  const slots = Array.from({ length: to - from + 1 }, (_, i) => from + i)
  await client.call('CLUSTER', 'ADDSLOTS', ...slots)
}
