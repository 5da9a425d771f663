import { memoryStore } from '@sluice/core'
import { manualClock } from '@sluice/testing'
import {
  describeWindows,
  functions,
  groupRows,
  hourFirst,
  registrations,
  type WindowRow,
} from './window-cases.ts'

// In memory theirs counts each plugin for itself, and looks at a window as each request's own: one of an hour is never begun too short.
// biome-ignore format: a table
const inMemory: readonly WindowRow[] = [
  { title: 'functions', build: functions, order: 'status first', answers: 'status 200 99/1s, send 200 1/3600s, send 200 0/3600s, send 429 0/3600s, send 429 0/3600s, send 429 0/3599s' },
]

describeWindows(
  [
    ...groupRows,
    ...hourFirst('functions', functions),
    ...hourFirst('plugins on one store', registrations),
    ...inMemory,
  ],
  async () => {
    const clock = manualClock()
    const store = memoryStore({ clock })
    return { options: { store }, advance: (ms) => clock.advance(ms), close: () => store.close() }
  },
)
