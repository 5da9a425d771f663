import type { Inspection, Verdict } from '@sluice/core'
import { encodeKey } from '@sluice/core/internal'
import type { KeyWords } from './key-words.ts'
import { isLong } from './long-key.ts'
import { keyText } from './mask.ts'
import { NearKey } from './near-key.ts'
import { grouped, NearLine, nearestFirst, withinOf } from './near-lines.ts'
import { shownPolicy } from './row-info.ts'
import type { SeenPolicy } from './seen-policy.ts'
import type { Keys, NearKey as Shown } from './wire.ts'

const maxTracked = 1000
const maxShown = 20
/** Keys that were shown accept actions for a while after they are gone. */
const maxHandedOut = 2000

interface Tracked {
  readonly near: NearKey
  readonly policy: SeenPolicy
  readonly name: string
}

interface ShownKeysOptions {
  readonly lastSecond: number
  readonly seconds: number
  readonly masked: boolean
  /** A text that the key must contain, as the viewer sees the key. @default anything */
  readonly text?: string
}

/** The keys nearest to their limits, from decisions. */
export class NearKeys {
  #tracked: Tracked[] = []
  readonly #handedOut = new Map<string, NearKey>()
  readonly #monotonicMs: () => number
  readonly #words: KeyWords
  #hand = 0

  constructor(monotonicMs: () => number, words: KeyWords) {
    this.#monotonicMs = monotonicMs
    this.#words = words
  }

  /** A key that is nearly full or was refused; undefined when there are too many, or it is too long to be kept. */
  see(policy: SeenPolicy, verdict: Verdict): NearKey | undefined {
    const near = this.#find(policy, verdict)
    near?.see(verdict, this.#monotonicMs())
    return near
  }

  /** A key that has room again. */
  roomy(policy: SeenPolicy, verdict: Verdict): void {
    policy.near.get(encodeKey(verdict.key))?.see(verdict, this.#monotonicMs())
  }

  /** The result of an inspection, if the key was seen before or is blocked. */
  inspected(policy: SeenPolicy, inspection: Inspection): void {
    const blocked = inspection.blockedMs !== null
    const near = blocked ? this.#find(policy, inspection) : policy.near.get(encodeKey(inspection.key))
    near?.inspected(inspection, this.#monotonicMs())
  }

  forget(): void {
    this.#tracked = []
  }

  atLimit(): number {
    const nowMs = this.#monotonicMs()
    let count = 0
    for (const { near } of this.#tracked) if (near.isAtLimit(nowMs)) count++
    return count
  }

  /** The nearest to their limits, those of one network as one line. */
  shown({ lastSecond, seconds, masked, text = '' }: ShownKeysOptions): Keys {
    const nowMs = this.#monotonicMs()
    const wanted = text.toLowerCase()
    const has = ({ key }: NearKey) =>
      wanted === '' || this.#words.key(key, masked).toLowerCase().includes(wanted)
    const near = this.#tracked
      .map((tracked) => tracked.near)
      .filter((each) => !each.isOver(nowMs) && has(each))
    const at = { nowMs, lastSecond, seconds }
    // A search shows each key by itself.
    const lines = wanted === '' ? grouped(near, at) : near.map((each) => new NearLine([each], at))
    lines.sort(nearestFirst)
    return { event: 'keys', keys: lines.slice(0, maxShown).map((line) => this.#wordsOf(line, masked)) }
  }

  #wordsOf(line: NearLine, masked: boolean): Shown {
    const { near, network, count } = line
    const alone = network === undefined
    return {
      // Named by the first key: where another key of the network becomes the fullest, it is still the same line.
      id: alone ? this.#handOut(near) : `with ${line.first.id}`,
      row: near.row.id,
      limiter: near.row.limiter,
      policy: shownPolicy(near.policy),
      key: alone
        ? this.#words.key(near.key, masked)
        : `${masked ? keyText(near.key, true) : network} (${count} keys)`,
      within: alone ? null : withinOf(masked ? keyText(near.key, true) : network),
      ...line.numbers,
    }
  }

  /** Finds a key that was shown, by its id. */
  find(id: string): NearKey | undefined {
    return this.#handedOut.get(id)
  }

  #handOut(near: NearKey): string {
    const { id } = near
    this.#handedOut.delete(id)
    this.#handedOut.set(id, near)
    if (this.#handedOut.size > maxHandedOut) {
      const [oldest] = this.#handedOut.keys()
      if (oldest !== undefined) this.#handedOut.delete(oldest)
    }
    return id
  }

  #find(policy: SeenPolicy, verdict: Verdict): NearKey | undefined {
    if (isLong(verdict.key)) return undefined
    const name = encodeKey(verdict.key)
    const known = policy.near.get(name)
    if (known !== undefined) return known
    const place = this.#place()
    if (place === undefined) return undefined
    const near = new NearKey(policy.row, verdict.policy, verdict.key)
    policy.near.set(name, near)
    this.#tracked[place] = { near, policy, name }
    return near
  }

  /** A free place: each new key checks the next two places in turn, and frees those that have recovered. */
  #place(): number | undefined {
    if (this.#tracked.length < maxTracked) return this.#tracked.length
    const nowMs = this.#monotonicMs()
    for (let i = 0; i < 2; i++) {
      this.#hand = (this.#hand + 1) % maxTracked
      const tracked = this.#tracked[this.#hand]
      if (tracked === undefined || !tracked.near.isOver(nowMs)) continue
      tracked.policy.near.delete(tracked.name)
      return this.#hand
    }
    return undefined
  }
}
