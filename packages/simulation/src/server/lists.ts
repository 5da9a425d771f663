import type { Words } from './calls.ts'

/** What operations have stored: lists, acts, and which processes have described themselves. */
export class ListsData {
  readonly #entries = new Map<string, string>()
  #version = ''
  readonly #acts: { readonly nth: number; readonly text: string }[] = []
  readonly #described = new Set<string>()

  /** See lua/operations/enlist.lua. */
  enlist({ args }: Words, nowUs: number): unknown {
    const nowMs = Math.floor(nowUs / 1000)
    const [lifeMs = '', most = '', ...fields] = args
    for (const [name, value] of this.#entries)
      if (Number.parseInt(value, 10) <= nowMs) this.#entries.delete(name)
    let changed = 0
    for (let i = 0; i < fields.length; i += 2) {
      const name = fields[i] ?? ''
      if (lifeMs === '0') changed += this.#entries.delete(name) ? 1 : 0
      else if (!this.#entries.has(name) && this.#entries.size >= Number(most)) return -1
      else {
        this.#entries.set(name, `${nowMs + Number(lifeMs)} ${fields[i + 1]}`)
        changed++
      }
    }
    this.#version = this.#version === String(nowUs) ? `${nowUs}+` : String(nowUs)
    return changed
  }

  /** See lua/operations/entries.lua. */
  entries({ args: [known] }: Words, nowUs: number): unknown {
    const nowMs = String(Math.floor(nowUs / 1000))
    if (this.#version === '' || this.#version === known) return [nowMs, this.#version, []]
    return [nowMs, this.#version, ['', this.#version, ...[...this.#entries].flat()]]
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
