import { inRedis } from '@sluice/core/internal'
import { latestLua } from './lua.generated.ts'
import type { RecordingServer } from './recording-server.ts'
import type { RecordedEvent } from './sink.ts'

const latestScript: inRedis.Script = inRedis.scriptOf(latestLua)

interface Keeping {
  /** The name in the server's keys. */
  readonly name: string
  readonly most: number
  readonly retentionMs: number
}

/** Events in Redis: a sorted set by time. Several processes that add the same event add it once. */
export class RedisEvents {
  readonly #server: RecordingServer
  readonly #keeping: Keeping
  readonly #key: string

  constructor(server: RecordingServer, keeping: Keeping) {
    this.#server = server
    this.#keeping = keeping
    this.#key = server.key(`recorded:${keeping.name}`)
  }

  async add(events: readonly RecordedEvent[]): Promise<void> {
    if (events.length === 0) return
    const latestMs = Math.max(...events.map(({ atMs }) => atMs))
    const words = events.flatMap(({ atMs, text }) => [atMs, JSON.stringify([atMs, text])])
    const { most, retentionMs } = this.#keeping
    const settings = [latestMs - retentionMs, most, retentionMs]
    await this.#server.run(latestScript, this.#key, [...settings, ...words])
  }

  async read(fromMs: number): Promise<readonly RecordedEvent[]> {
    const members = await this.#server.send('ZRANGE', [this.#key, 0, -1], this.#key)
    const all = Array.isArray(members) ? members.flatMap(readMember) : []
    return all.filter(({ atMs }) => atMs >= fromMs)
  }
}

/** Skips members written by other programs. */
function readMember(member: unknown): readonly RecordedEvent[] {
  try {
    const [atMs, text]: unknown[] = JSON.parse(String(member))
    return typeof atMs === 'number' && typeof text === 'string' ? [{ atMs, text }] : []
  } catch {
    return []
  }
}
