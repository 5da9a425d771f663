import { inRedis } from '@sluice/core/internal'
import { isSound } from './batch.ts'
import { latestLua } from './lua.generated.ts'
import type { RecordingServer } from './recording-server.ts'
import type { Labels, Sample } from './sink.ts'
import { maxSeries, sliceSeconds } from './slice.ts'

const latestScript: inRedis.Script = inRedis.scriptOf(latestLua)
/** Members that one script adds. */
const portion = 500

export interface Named {
  readonly series: string
  readonly labels: Labels
}

/** The list of series in plain Redis: a set sorted by the second written last, which keeps the latest `maxSeries`. */
export class HashIndex {
  readonly #server: RecordingServer
  readonly #retentionSeconds: number
  readonly #key: string

  constructor(server: RecordingServer, retentionSeconds: number) {
    this.#server = server
    this.#retentionSeconds = retentionSeconds
    this.#key = server.key('recorded')
  }

  async note(batch: readonly Sample[]): Promise<void> {
    const latest = new Map<string, number>()
    for (const { series, labels, second } of batch.filter(isSound)) {
      const member = JSON.stringify([series, labels])
      latest.set(member, Math.max(second, latest.get(member) ?? 0))
    }
    if (latest.size === 0) return
    const words = [...latest].map(([member, second]) => [second, member])
    const newest = Math.max(...latest.values())
    const oldest = newest - this.#retentionSeconds - sliceSeconds
    const lifeMs = (this.#retentionSeconds + sliceSeconds) * 1000
    const sent = []
    for (let from = 0; from < words.length; from += portion) {
      const some = words.slice(from, from + portion).flat()
      sent.push(this.#server.run(latestScript, this.#key, [oldest, maxSeries, lifeMs, ...some]))
    }
    await Promise.all(sent)
  }

  async read(): Promise<readonly Named[]> {
    const members = await this.#server.send('ZRANGE', [this.#key, 0, -1], this.#key)
    const all = Array.isArray(members) ? members.flatMap(readMember) : []
    // A series that was written with other labels is listed twice.
    return [...new Map(all.map((named) => [named.series, named])).values()]
  }
}

/** Skips members written by other programs. */
function readMember(member: unknown): readonly Named[] {
  try {
    const [series, labels]: unknown[] = JSON.parse(String(member))
    if (typeof series !== 'string' || typeof labels !== 'object' || labels === null) return []
    return [{ series, labels: labels as Labels }] // note() has written it
  } catch {
    return []
  }
}
