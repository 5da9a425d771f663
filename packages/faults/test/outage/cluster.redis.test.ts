import { setTimeout } from 'node:timers/promises'
import { expect, it } from '@jest/globals'
import { RedisCluster } from '@sluice/faults'

// As a busy machine, or a script that takes long, lets a server stand. It lost its last writes with its slots.
it('a master that stands still for three seconds keeps its slots', async () => {
  const cluster = new RedisCluster()
  try {
    await cluster.start()
    const { server } = cluster.master(0)
    server.hang()
    await setTimeout(3000)
    server.goOn()
    expect((await cluster.master(0).client.role())[0]).toBe('master')
    expect((await cluster.replica(0).client.role())[0]).toBe('slave')
  } finally {
    await cluster.end()
  }
})

it('a server that stands still for three seconds while it is met becomes a member', async () => {
  const cluster = new RedisCluster()
  try {
    const started = cluster.start()
    while (cluster.masters.length === 0) await setTimeout(1)
    const { server, client } = cluster.master(1)
    server.hang()
    await setTimeout(3000)
    server.goOn()
    await started
    expect(await client.cluster('INFO')).toContain('cluster_known_nodes:6')
  } finally {
    await cluster.end()
  }
})

it('where a cluster is meant to fail over, its replica takes over', async () => {
  const cluster = new RedisCluster({ failsOver: true })
  try {
    await cluster.start()
    cluster.master(0).server.hang()
    await cluster.tookOver(cluster.replica(0))
    expect((await cluster.replica(0).client.role())[0]).toBe('master')
  } finally {
    cluster.master(0).server.goOn()
    await cluster.end()
  }
})
