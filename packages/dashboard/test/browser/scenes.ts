import type {
  Hello,
  History,
  Keys,
  Message,
  NearKey,
  RowInfo,
  Second,
  StoreState,
  Totals,
} from '../../src/wire.ts'

/** 14 Nov 2023, 22:13:20 UTC: the second in which every scene begins. */
export const fromSecond = 1_700_000_000
const spanSeconds = 300

export const hello: Hello = {
  event: 'hello',
  nowMs: (fromSecond + spanSeconds) * 1000,
  spanSeconds,
  stepSeconds: 1,
  mayManage: false,
  maskKeys: true,
  boot: 'one',
}

export const row = (id: string, info: Partial<RowInfo> = {}): RowInfo => ({
  id,
  limiter: id,
  policy: 'everybody',
  strategy: 'sliding window log',
  rule: '100 in 10 s',
  windowSeconds: 10,
  limit: 100,
  shade: 'sliding',
  windowsSeconds: [],
  manyKeys: false,
  ...info,
})

export const rowsNamed = (...names: readonly string[]): RowInfo[] => names.map((name) => row(name))

export const manyRows = (count: number): RowInfo[] =>
  rowsNamed(...Array.from({ length: count }, (_, place) => `route${place}`))

export const store: StoreState = {
  event: 'store',
  name: 'redis',
  status: 'ok',
  sinceMs: 190_000,
  failures: 0,
  lateReplies: 0,
  fallbackDecisions: 0,
  onFailure: 'local',
  localUnits: 0,
  awayFromMs: null,
}

export const nothing: Totals = {
  admitted: 0,
  refused: 0,
  local: 0,
  before: null,
  busiest: null,
  knownFromSecond: null,
  refusingNow: 0,
  keysAtLimit: 0,
  rows: {},
}

/** Units of each second: an even flow that a crowd comes upon twice. */
function trafficOf(place: number): { admitted: number[]; refused: number[] } {
  const seconds = Array.from({ length: spanSeconds }, (_, second) => second)
  const crowd = (second: number) => (second % 150) - 60 > 0 && (second % 150) - 60 < 40
  const admitted = seconds.map((second) => (crowd(second) ? 10 : 4 + ((second * 7 + place * 3) % 5)))
  return { admitted, refused: seconds.map((second) => (crowd(second) ? 5 + ((second + place) % 20) : 0)) }
}

const rolling = (units: readonly number[], window: number) =>
  units.map((_, end) => units.slice(Math.max(0, end - window + 1), end + 1).reduce((a, b) => a + b, 0))

const sum = (units: readonly number[]) => units.reduce((a, b) => a + b, 0)

/** Rows with five minutes of made-up traffic behind them, and totals that are true of it. */
export function historyOf(rows: readonly RowInfo[]): History {
  const flows = rows.map((info, place) => ({ info, ...trafficOf(place) }))
  const shown = flows.map(({ info, admitted, refused }) => ({
    id: info.id,
    flow: { inWindow: rolling(admitted, info.windowSeconds), admitted, refused },
  }))
  const totals: Totals = {
    ...nothing,
    admitted: sum(flows.map(({ admitted }) => sum(admitted))),
    refused: sum(flows.map(({ refused }) => sum(refused))),
    rows: Object.fromEntries(
      shown.map(({ id, flow }) => [
        id,
        { admitted: sum(flow.admitted), refused: sum(flow.refused), most: Math.max(...flow.inWindow) },
      ]),
    ),
  }
  return {
    event: 'history',
    fromSecond,
    stepSeconds: 1,
    rows: Object.fromEntries(shown.map(({ id, flow }) => [id, flow])),
    totals,
    outages: [],
    edges: {},
  }
}

/** The bucket that begins so many seconds after the end of a scene. */
export function secondAfter(
  place: number,
  given: Partial<Pick<Second, 'rows' | 'totals' | 'outages'>> = {},
): Second {
  const second = fromSecond + spanSeconds + place
  return {
    event: 'second',
    nowMs: (second + 1) * 1000,
    fromSecond: second,
    rows: {},
    totals: nothing,
    outages: [],
    edges: {},
    ...given,
  }
}

export const keyNear = (key: Partial<NearKey>): NearKey => ({
  id: '1',
  row: 'tiger',
  limiter: 'tiger',
  policy: 'everybody',
  key: 'ti•••',
  within: null,
  used: 94,
  limit: 100,
  againInMs: null,
  blockedMs: null,
  refused: 15,
  ...key,
})

export const keysOf = (...keys: readonly NearKey[]): Keys => ({ event: 'keys', keys })

interface Around {
  readonly hello: Hello
  readonly history: History
  readonly keys: Keys
  readonly store: StoreState
  readonly count: number
  readonly cut: number
}

/** All that a new stream gets. */
export const greeting = (rows: readonly RowInfo[], around: Partial<Around> = {}): Message[] => [
  around.hello ?? hello,
  { event: 'rows', rows, count: around.count ?? rows.length, cut: around.cut ?? 0 },
  around.history ?? historyOf(rows),
  around.keys ?? keysOf(),
  around.store ?? store,
  { event: 'events', events: [] },
]
