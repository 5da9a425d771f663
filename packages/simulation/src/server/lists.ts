import type { Words } from './calls.ts'

/** A hash of operations: an entry's name, then its end and what is known of it. */
interface Hash {
  readonly entries: Map<string, string>
  version: string
}

/** What operations have stored: lists, changed limits, acts, and which processes have described themselves. */
export class ListsData {
  readonly #hashes = new Map<string, Hash>()
  readonly #acts: { readonly nth: number; readonly text: string }[] = []
  readonly #described = new Set<string>()

  /** See lua/operations/enlist.lua. */
  enlist({ keys: [key = ''], args }: Words, nowUs: number): unknown {
    const hash = this.#hashes.get(key) ?? { entries: new Map<string, string>(), version: '' }
    this.#hashes.set(key, hash)
    const { entries } = hash
    const nowMs = Math.floor(nowUs / 1000)
    const [lifeMs = '', most = '', ...fields] = args
    for (const [name, value] of entries) if (Number.parseInt(value, 10) <= nowMs) entries.delete(name)
    let changed = 0
    for (let i = 0; i < fields.length; i += 2) {
      const name = fields[i] ?? ''
      if (lifeMs === '0') changed += entries.delete(name) ? 1 : 0
      else if (!entries.has(name) && entries.size >= Number(most)) return -1
      else {
        entries.set(name, `${nowMs + Number(lifeMs)} ${fields[i + 1]}`)
        changed++
      }
    }
    hash.version = hash.version === String(nowUs) ? `${nowUs}+` : String(nowUs)
    return changed
  }

  /** See lua/operations/entries.lua. */
  entries({ keys: [key = ''], args: [known] }: Words, nowUs: number): unknown {
    const nowMs = String(Math.floor(nowUs / 1000))
    const { entries, version } = this.#hashes.get(key) ?? { entries: [], version: '' }
    if (version === '' || version === known) return [nowMs, version, []]
    return [nowMs, version, ['', version, ...[...entries].flat()]]
  }

  /** See lua/operations/publish.lua. */
  publish({ args: [id = '', description = '', , , from = ''] }: Words): unknown {
    const isMissing = description === '' && !this.#described.has(id)
    if (description !== '') this.#described.add(id)
    const after = Number.parseInt(from.slice(1), 10)
    const heard = from === '' ? [] : this.#acts.filter(({ nth }) => nth > after)
    const said = heard.map(({ nth, text }) => [`${nth}-0`, ['act', text]])
    return [isMissing ? 1 : 0, `${this.#acts.length}-0`, said]
  }

  act({ args: [text = ''] }: Words): unknown {
    this.#acts.push({ nth: this.#acts.length + 1, text })
    return 1
  }
}
