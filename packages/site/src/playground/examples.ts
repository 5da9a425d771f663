import { columnCount, shapes } from './drawn.ts'
import { firstScene, type Scene } from './scene.ts'

const each = (units: number): readonly number[] => new Array<number>(columnCount).fill(units)
const every = 'month from 31'
const vienna = 'Europe/Vienna'

/** Scenes to begin with, where one drawing says more than a page. */
export const examples: Readonly<Record<string, Scene>> = {
  'Twice a limit around a border': firstScene,
  'One client asks for ten times its share': {
    ...firstScene,
    traffic: { kind: 'drawn', columnMs: 1000, columns: each(12), isCrowd: true },
    policies: [
      { strategy: 'fairShare', fields: { limit: '30', window: '10s' } },
      { strategy: 'fixedWindow', fields: { limit: '10', window: '10s' } },
    ],
  },
  'A month that turns on the 31st': {
    ...firstScene,
    traffic: { kind: 'drawn', columnMs: 86_400_000, columns: each(30) },
    policies: [
      { strategy: 'fixedWindow', fields: { limit: '500', every, timeZone: vienna } },
      { strategy: 'fixedWindow', fields: { limit: '500', window: '30d' } },
    ],
  },
  'Who waits how long': {
    ...firstScene,
    traffic: { kind: 'drawn', columnMs: 1000, columns: shapes.burst?.columns ?? [] },
    policies: [
      { strategy: 'fixedWindow', fields: { limit: '20', window: '10s', maxDebt: '1m' } },
      { strategy: 'gcra', fields: { count: '20', period: '10s' } },
    ],
    maxWaitMs: 20_000,
  },
}
