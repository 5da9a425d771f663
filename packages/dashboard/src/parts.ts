import { Board } from './board.ts'
import { Happenings } from './happenings.ts'
import { Insides } from './insides.ts'
import { Known } from './limited.ts'
import { NearKeys } from './near-keys.ts'
import type { Settled } from './options.ts'
import { Outages } from './outages.ts'
import { Reader } from './reader.ts'
import type { Sources } from './sources.ts'
import { StandIn } from './stand-in.ts'
import { storeStateOf } from './store-state.ts'
import { Watcher } from './watcher.ts'
import { reasonOf } from './words.ts'

/** Rows that have nothing to show are taken off now and then. */
const pruneEveryMs = 60_000

/** All that a dashboard keeps in mind, and how it hangs together. */
export interface Parts {
  readonly sources: Sources
  readonly reader: Reader
  readonly keys: NearKeys
  readonly known: Known
  readonly happenings: Happenings
  readonly standIn: StandIn
  readonly watcher: Watcher
  monotonicMs(): number
}

export function partsOf(options: Settled, monotonicMs: () => number): Parts {
  const { recorder, maskKeys } = options
  const nowMs = () => recorder.nowMs()
  const board = new Board()
  const known = new Known(options.limiters)
  const keys = new NearKeys(monotonicMs)
  const happenings = new Happenings(nowMs)
  const outages = new Outages(happenings, nowMs, () => board.horizonMs)
  const watcher = new Watcher({ board, keys, outages, happenings, maskKeys, nowMs })
  const standIn = new StandIn(recorder)
  const insides = new Insides({ board, known, watcher, nowMs })
  const reader = new Reader({
    board,
    recorder,
    standIn,
    unread: (error) =>
      happenings.add(
        'The recording cannot be read',
        `${reasonOf(error)} Showing what this process has counted.`,
      ),
    readAgain: () =>
      happenings.add('The recording can be read again', 'What is shown covers all processes again.'),
  })
  const startedMs = monotonicMs()
  let prunedMs = startedMs

  function refresh(): void {
    known.refresh()
    for (const { name, policies = {} } of known.all) {
      for (const [policy, rule] of Object.entries(policies)) board.draw(name, policy, rule)
    }
    void insides.look()
    if (monotonicMs() - prunedMs < pruneEveryMs || !reader.filled) return
    prunedMs = monotonicMs()
    for (const row of board.prune((each) => known.holds(each))) watcher.drop(row)
  }

  const sources: Sources = {
    board,
    keys,
    refresh,
    covers: (seconds) => reader.covers(seconds),
    order: (rows) => known.order(rows),
    outages: (fromSecond) => outages.since(fromSecond, board.local, board.lastSecond),
    keysIn: ({ seconds }) => keys.shown({ lastSecond: board.lastSecond, seconds, masked: maskKeys }),
    store: () => storeStateOf(known.all, outages, monotonicMs() - startedMs),
    happened: () => happenings.message(),
    nowMs,
    monotonicMs,
  }
  return { sources, reader, keys, known, happenings, standIn, watcher, monotonicMs }
}
