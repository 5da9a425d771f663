import type { Act, Decision, Inspection, Key, Observer, StoreEvent, Verdict, Warning } from '@sluice/core'
import { decisions, encodeKey, partsOf } from '@sluice/core/internal'
import { actTitles, actWords } from './act-words.ts'
import type { Board } from './board.ts'
import type { EventLog } from './event-log.ts'
import type { KeyWords } from './key-words.ts'
import { isLong } from './long-key.ts'
import type { NearKeys } from './near-keys.ts'
import type { Outages } from './outages.ts'
import type { Row } from './row.ts'
import { SeenPolicy } from './seen-policy.ts'
import { reloadTitles, warnedWords } from './warned-words.ts'

/** The most policies remembered; beyond that all are dropped. */
const maxPolicies = 10_000

export interface WatcherDependencies {
  readonly board: Board
  readonly keys: NearKeys
  readonly outages: Outages
  readonly log: EventLog
  readonly words: KeyWords
  /** From a failure on, counts what pages cannot read later. */
  readonly standIn: { failed(): void }
  /** The recorder's clock. */
  nowMs(): number
}

/** Observes decisions for what units do not show: keys, windows, requests in flight, and the state of the store. */
export class Watcher implements Observer {
  readonly #deps: WatcherDependencies
  #limiters = new Map<string, Map<string, SeenPolicy>>()
  #count = 0

  constructor(deps: WatcherDependencies) {
    this.#deps = deps
  }

  decided(decision: Decision, { operation }: { readonly operation: string }): void {
    if (operation === 'peek') return
    const { source, verdicts } = decision
    if (source === 'none') {
      this.#uncounted(decision)
      return
    }
    if (source === 'fallback') this.#deps.outages.decidedWithout('local', decision.cost)
    for (const name in verdicts) {
      const verdict = verdicts[name]
      if (verdict !== undefined) this.#see(this.#policyOf(decision, name), verdict, decision)
    }
  }

  storeFailed(event: StoreEvent): void {
    this.#deps.standIn.failed()
    this.#deps.outages.failed(event)
  }

  storeRecovered(event: StoreEvent): void {
    this.#deps.outages.recovered(event)
  }

  /** Logs an act on this page, by code, or from elsewhere. */
  acted(act: Act): void {
    this.#deps.log.add(actTitles[act.act], actWords(act, this.#deps.words))
  }

  warned(warning: Warning): void {
    const words = (masked: boolean) => warnedWords(warning, masked)
    // Reloads are logged each time: a file that fails, is mended and fails again has failed twice.
    const title = reloadTitles[warning.code]
    if (title === undefined) this.#deps.log.addOnce(warning.code, words)
    else this.#deps.log.add(title, words)
  }

  /** A decision without a count: there was no store, or nothing to count. */
  #uncounted({ allowed, reason, verdicts, cost }: Decision): void {
    if (reason === 'store-unavailable') this.#deps.outages.decidedWithout('deny', cost)
    else if (allowed && Object.keys(verdicts).length > 0) this.#deps.outages.decidedWithout('allow', cost)
  }

  #policyOf(decision: Decision, name: string): SeenPolicy {
    return this.#limiters.get(decision.limiter)?.get(name) ?? this.#meet(decision, name)
  }

  #meet(decision: Decision, name: string): SeenPolicy {
    if (this.#count >= maxPolicies) this.forget()
    this.#count++
    this.#learn(decision, name)
    const seen = new SeenPolicy(this.#deps.board.row(decision.limiter, name))
    const policies = this.#limiters.get(decision.limiter) ?? new Map<string, SeenPolicy>()
    this.#limiters.set(decision.limiter, policies.set(name, seen))
    return seen
  }

  /** The key of a row whose decisions were all about one key. */
  onlyKeyOf({ limiter, policy }: Row): Key | undefined {
    const seen = this.#limiters.get(limiter)?.get(policy)
    return seen?.manyKeys === true ? undefined : seen?.firstKey
  }

  /** Notes an inspection: no decision reports that a request has ended, which makes room, or that a key was blocked. */
  inspected({ limiter, policy }: Pick<Row, 'limiter' | 'policy'>, inspection: Inspection): void {
    const seen = this.#limiters.get(limiter)?.get(policy)
    if (seen !== undefined) this.#deps.keys.inspected(seen, inspection)
  }

  /** Drops what is known about a row that is no longer shown. */
  drop({ limiter, policy }: Row): void {
    if (this.#limiters.get(limiter)?.delete(policy) === true) this.#count--
  }

  forget(): void {
    this.#limiters = new Map()
    this.#count = 0
    this.#deps.keys.forget()
  }

  /** The policy of a decision: the only source for trees of limits, and for limiters that are not in the options. */
  #learn(decision: Decision, name: string): void {
    for (const { check, policy } of decisions.verdictsBehind(decision)) {
      if (policy !== name) continue
      const { policy: own } = check.lane
      // A policy that is changed by hand is not a policy that is chosen for each request.
      const rule = own !== null && partsOf(own).changing !== undefined ? own : check.policy
      this.#deps.board.draw(decision.limiter, name, rule)
    }
  }

  #see(seen: SeenPolicy, verdict: Verdict, decision: Decision): void {
    const { limit, remaining } = verdict
    if (limit !== seen.limit) {
      seen.limit = limit
      this.#learn(decision, verdict.policy)
    }
    if (!seen.manyKeys) this.#seeKey(seen, verdict)
    const { shade } = seen.row
    if (shade === 'fixed' && !seen.manyKeys)
      seen.row.sawEdge((this.#deps.nowMs() + verdict.resetAfterMs) / 1000)
    if (shade === 'in-flight') seen.row.sawInFlight(this.#second(), limit - remaining)
    else if (limit > 0) seen.row.sawKey(this.#second(), Math.max(0, limit - remaining), limit)
    if (!verdict.allowed || remaining * 5 <= limit) this.#seeNear(seen, verdict)
    else if (seen.near.size > 0) this.#deps.keys.roomy(seen, verdict)
  }

  #seeKey(seen: SeenPolicy, { key }: Verdict): void {
    const long = isLong(key)
    if (!long) seen.firstKey ??= key
    if (!long && isSameKey(seen.firstKey ?? key, key)) return
    seen.manyKeys = true
    if (seen.row.sawManyKeys()) this.#deps.board.changed()
  }

  #seeNear(seen: SeenPolicy, verdict: Verdict): void {
    const near = this.#deps.keys.see(seen, verdict)
    if (!verdict.allowed) near?.refuse(this.#second(), verdict.cost)
  }

  #second(): number {
    return Math.floor(this.#deps.nowMs() / 1000)
  }
}

function isSameKey(a: Key, b: Key): boolean {
  return a === b || encodeKey(a) === encodeKey(b)
}
