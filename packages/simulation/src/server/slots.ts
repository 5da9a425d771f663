import { Random } from '../random.ts'

/** The part of a name by which a cluster finds its slot. */
function tagOf(name: string): string {
  return name.slice(name.indexOf('{') + 1, name.indexOf('}'))
}

const tryAgain = 'TRYAGAIN Multiple keys request during rehashing of slot'
const crossSlot = "CROSSSLOT Keys in request don't hash to the same slot"

/** Knows which of two servers of a cluster has a key. All slots begin at the first, and move to the second, key by key. */
export class Slots {
  readonly #aheadUs: number
  readonly #nowUs: () => number
  readonly #moves = new Map<string, { readonly fromUs: number; readonly forUs: number }>()

  constructor(aheadMs: number, nowUs: () => number) {
    this.#aheadUs = aheadMs * 1000
    this.#nowUs = nowUs
  }

  /** Moves the slot of a key, with all names of counts that begin with it, to the second server. */
  move(key: string, forUs: number): void {
    if (!this.#moves.has(key)) this.#moves.set(key, { fromUs: this.#nowUs(), forUs })
  }

  #moveOf(name: string) {
    return this.#moves.get(tagOf(name).split('/')[0] ?? '')
  }

  /** The server that clients are sent to: the first until all has moved. */
  nodeOf(name: string): string {
    const move = this.#moveOf(name)
    return move !== undefined && this.#nowUs() >= move.fromUs + move.forUs ? 'second' : 'first'
  }

  #isMoved(name: string): boolean {
    const move = this.#moveOf(name)
    return move !== undefined && this.#nowUs() >= move.fromUs + (hashOf(name) % (move.forUs + 1))
  }

  /** How far the clock of the server that runs a call of these keys is ahead. Throws what a cluster answers where none can run it. */
  clockOf(names: readonly string[]): number {
    const [first] = names
    if (first === undefined) return 0
    if (names.some((name) => tagOf(name) !== tagOf(first))) throw new Error(crossSlot)
    if (names.some((name) => this.#isMoved(name) !== this.#isMoved(first))) throw new Error(tryAgain)
    return this.#isMoved(first) ? this.#aheadUs : 0
  }

  clockOfNode(node: string): number {
    return node === 'second' ? this.#aheadUs : 0
  }
}

/** A number that decides when a key moves: it looks random, and is the same in every run. */
function hashOf(name: string): number {
  let hash = 7
  for (let i = 0; i < name.length; i++) hash = (Math.imul(hash, 31) + name.charCodeAt(i)) | 0
  return new Random(hash).whole(0, 2 ** 30)
}
