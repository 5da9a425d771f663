import type { Check } from '@sluice/core'
import { fromIoredis, RedisStore } from '@sluice/core/redis'
import { Redis as Redis5 } from 'ioredis5'
import { Redis } from 'ioredis6'
import { testIncludes } from '../test-lua.generated.ts'
import { baseUs, type StoreUnderTest } from './under-test.ts'

const { time = '', expiry = '' } = testIncludes

/**
 * The scripts of the Redis store on a real server, in virtual time: only the pieces that read TIME and give lives are others.
 * Keys expire in virtual time too, unless `expires` is false: as on a server whose clock steps back.
 */
export async function redisUnderTest(
  socket: string,
  {
    expires = true,
    ioredis = 6,
    deadlineUs = 0,
  }: { expires?: boolean; ioredis?: 5 | 6; deadlineUs?: number } = {},
): Promise<StoreUnderTest> {
  const client = ioredis === 6 ? new Redis({ path: socket }) : olderClient(socket)
  const connection = fromIoredis(client)
  const store = new RedisStore({ connection, prefix: '', deadlineUs, includes: { time, expiry } })
  let nowUs = baseUs
  const setClock = async (us: number) => {
    nowUs = us
    await client.mset('test:now_us', us, 'test:expires', expires ? 'yes' : 'no')
  }
  await setClock(baseUs)
  return {
    store,
    setClock,
    async lifeUs(check) {
      const [exists, goneUs] = await Promise.all([
        client.exists(nameOf(check)),
        client.get(`test:gone_us:${nameOf(check)}`),
      ])
      const leftUs = Number(goneUs) - nowUs
      return exists === 1 && leftUs > 0 ? leftUs : null
    },
    async stored(check) {
      // A dead key may have been put out of sight: it is stored all the same.
      const dump =
        (await client.dumpBuffer(nameOf(check))) ?? (await client.dumpBuffer(`test:hidden:${nameOf(check)}`))
      return dump?.toString('hex') ?? null
    },
    async close() {
      await store.close()
      client.disconnect()
    },
  }
}

function olderClient(socket: string): Redis {
  return new Redis5({ path: socket }) as unknown as Redis // what is called of it here is the same
}

/** The key of a check's state on a Redis server. */
function nameOf({ id, key }: Check): string {
  return `sl1:{${key}}:${id}`
}
