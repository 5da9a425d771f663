import { inRedis } from '@sluice/core/internal'
import { enlistLua, entriesLua } from './lua.generated.ts'

const readScript: inRedis.Script = inRedis.scriptOf(entriesLua)
const changeScript: inRedis.Script = inRedis.scriptOf(enlistLua)

/** Runs a script on keys of operations. */
export interface RunsScripts {
  run(script: inRedis.Script, names: readonly string[], args: readonly (string | number)[]): Promise<unknown>
}

/** A hash as it was read from Redis. */
interface Sight {
  /** '' if there is no such hash. */
  readonly version: string
  readonly nowMs: number
  /** Alternating names and texts; undefined if they are as before. */
  readonly fields: readonly unknown[] | undefined
}

/** A hash in Redis whose entries end by themselves; each change gives it a new version. */
export class StoredHash {
  readonly #server: RunsScripts
  readonly #name: string
  readonly #most: number

  constructor(server: RunsScripts, name: string, most: number) {
    this.#server = server
    this.#name = name
    this.#most = most
  }

  async read(known: string): Promise<Sight> {
    const reply = inRedis.listOf(await this.#server.run(readScript, [this.#name], [known]))
    const version = String(reply[1])
    const isKnown = version === '' || version === known
    return { version, nowMs: Number(reply[0]), fields: isKnown ? undefined : inRedis.listOf(reply[2]) }
  }

  /** false: there is no room. */
  async put(name: string, text: string, forMs: number): Promise<boolean> {
    return (await this.#change(name, text, forMs)) >= 0
  }

  /** false: there was no such entry. */
  async remove(name: string): Promise<boolean> {
    return (await this.#change(name, '', 0)) > 0
  }

  async #change(name: string, text: string, lifeMs: number): Promise<number> {
    return Number(await this.#server.run(changeScript, [this.#name], [lifeMs, this.#most, name, text]))
  }
}

/** The end of an entry, and the data behind it; undefined if it is malformed. */
export function readText(
  value: unknown,
  nowMs: number,
): { readonly endsInMs: number; readonly data: unknown } | undefined {
  const [end = '', ...rest] = String(value).split(' ')
  if (!/^\d{1,16}$/.test(end)) return undefined
  try {
    return { endsInMs: Number(end) - nowMs, data: JSON.parse(rest.join(' ')) }
  } catch {
    return undefined
  }
}

/** Why, by whom and when an entry was written. */
export function aboutOf(data: { readonly [name: string]: unknown }): {
  readonly why: string | undefined
  readonly by: string | undefined
  readonly atMs: number | undefined
} {
  const { why, by, atMs } = data
  return {
    why: typeof why === 'string' ? why : undefined,
    by: typeof by === 'string' ? by : undefined,
    atMs: typeof atMs === 'number' ? atMs : undefined,
  }
}
