import { Board } from './board.ts'
import { EventLog } from './event-log.ts'
import { InFlightKeys } from './in-flight.ts'
import { KeyWords } from './key-words.ts'
import { Known } from './limited.ts'
import { localSpans } from './local-spans.ts'
import { NearKeys } from './near-keys.ts'
import type { DashboardSettings } from './options.ts'
import { Outages } from './outages.ts'
import { Reader } from './reader.ts'
import type { Sources } from './sources.ts'
import { StandIn } from './stand-in.ts'
import { storeStateOf } from './store-state.ts'
import { Watcher } from './watcher.ts'
import { reasonOf } from './words.ts'

/** How often empty rows are removed. */
const pruneEveryMs = 60_000

/** The state of a dashboard, connected. */
export interface DashboardModel {
  readonly sources: Sources
  readonly reader: Reader
  readonly keys: NearKeys
  readonly known: Known
  readonly words: KeyWords
  readonly log: EventLog
  readonly standIn: StandIn
  readonly watcher: Watcher
  monotonicMs(): number
}

export function modelOf(options: DashboardSettings, monotonicMs: () => number): DashboardModel {
  const { recorder } = options
  const words = new KeyWords(options.maskSecret)
  const nowMs = () => recorder.nowMs()
  const board = new Board()
  const known = new Known(options.limiters)
  const keys = new NearKeys(monotonicMs, words)
  const log = new EventLog(recorder)
  const outages = new Outages(log, nowMs, (atMs) => board.horizonMs(atMs))
  const standIn = new StandIn(recorder)
  const watcher = new Watcher({ board, keys, outages, log, words, standIn, nowMs })
  const inFlightKeys = new InFlightKeys({ board, known, watcher, nowMs })
  const reader = new Reader({
    board,
    recorder,
    standIn,
    unread: (error) =>
      log.add('The recording cannot be read', `${reasonOf(error)} Showing what this process has counted.`),
    readAgain: () => log.add('The recording can be read again', 'The page covers all processes again.'),
  })
  const startedMs = monotonicMs()
  let prunedMs = startedMs

  function refresh(): void {
    known.refresh()
    void log.recall()
    for (const { name, policies = {} } of known.all) {
      for (const [policy, rule] of Object.entries(policies)) board.draw(name, policy, rule)
    }
    void inFlightKeys.look()
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
    outages: (fromSecond) => localSpans(board.local, fromSecond, board.lastSecond),
    keysIn: ({ seconds, masked = true }) => keys.shown({ lastSecond: board.lastSecond, seconds, masked }),
    store: () => storeStateOf(known.all, outages, monotonicMs() - startedMs),
    events: (masked) => log.message(masked),
    nowMs,
    monotonicMs,
  }
  return { sources, reader, keys, known, words, log, standIn, watcher, monotonicMs }
}
