import { tmpdir } from 'node:os'
import { Program } from './program.ts'

/** A server of the test's own, in memory only: it writes nothing. */
export async function startRedis(port: number, ...more: readonly string[]): Promise<Program> {
  const place = ['--port', String(port), '--bind', '127.0.0.1', '--dir', tmpdir()]
  const options = [...place, '--save', '', '--appendonly', 'no', ...more]
  const redis = new Program(process.env.SLUICE_REDIS_SERVER || 'redis-server', options)
  await redis.prints(/eady to accept/)
  return redis
}
