import { RedisProcess } from '@sluice/faults/outage'
import { Redis } from 'ioredis'

/** A Redis server of a test file's own, whose calls can be counted and whose memory can be filled. */
export interface OwnServer {
  readonly server: RedisProcess
  /** To look at it, and to change its settings. */
  readonly admin: Redis
  end(): Promise<void>
}

export async function startOwnServer(): Promise<OwnServer> {
  const server = await RedisProcess.prepare()
  await server.start()
  const admin = new Redis({ port: server.port })
  const end = async () => {
    admin.disconnect()
    await server.end()
  }
  return { server, admin, end }
}
