import { afterEach, expect, test } from '@jest/globals'
import type { Observer } from '@sluice/core'
import { Broadcaster } from '../src/broadcaster.ts'
import { modelOf } from '../src/model.ts'
import { readSettings } from '../src/options.ts'
import { ClientPage } from './client-page.ts'
import { minute } from './on-hand.ts'
import { Recorded, zero } from './recorded.ts'

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

/** A dashboard before any page, whose recorder hands on what it observes and cannot be read while `recorded.fails`. */
function unwatched() {
  const recorded = new Recorded()
  const observers = new Set<Observer>()
  const { query, nowMs, addEvent, events } = recorded
  const watch = (observer: Observer) => {
    observers.add(observer)
    return () => observers.delete(observer)
  }
  const recorder = { query, nowMs, addEvent, events, watch } as never // what a dashboard asks of one
  const parts = modelOf(readSettings({ recorder, limiters: [] }), () => recorded.clock * 1000)
  observers.add(parts.watcher)
  ends.push(() => parts.standIn.close())
  const broadcaster = new Broadcaster({ ...parts, whileWatched: [parts.standIn] })
  const error = new Error('connect ECONNREFUSED')
  return {
    recorded,
    parts,
    broadcaster,
    async fail(kind: 'failed' | 'opened') {
      for (const each of [...observers]) each.storeFailed?.({ kind, store: 'redis', error, sinceMs: 0 })
      await new Promise(setImmediate)
    },
    recover() {
      for (const each of [...observers])
        each.storeRecovered?.({ kind: 'recovered', store: 'redis', sinceMs: 0 })
    },
    decide(count: number) {
      const decision = {
        limiter: 'tiger',
        policy: 'p',
        source: 'fallback',
        allowed: true,
        cost: 1,
        verdicts: {},
      }
      for (let i = 0; i < count; i++)
        for (const each of [...observers])
          each.decided?.(decision as never, { operation: 'check', durationMs: 0 }) // what is read of one
    },
    async open() {
      const page = new ClientPage()
      ends.push(broadcaster.join(page.client(), minute, false))
      await broadcaster.step()
      return page
    },
    /** Seconds go by. */
    async pass(seconds: number) {
      recorded.clock += seconds
      await broadcaster.step()
    },
  }
}

test('a page that is opened during an outage knows what its process has decided locally since its beginning', async () => {
  const { recorded, parts, fail, decide, open, pass } = unwatched()
  recorded.fails = true
  await fail('failed')
  decide(1)
  await fail('opened')
  decide(600)
  recorded.clock += 30
  const page = await open()
  expect(page.totals).toMatchObject({ admitted: 601, local: 601 })
  expect(parts.sources.store()).toMatchObject({ localUnits: 601, awayFromMs: zero * 1000 })
  decide(163)
  await pass(2)
  expect(page.totals).toMatchObject({ admitted: 764, local: 764 })
  expect(parts.sources.store().localUnits).toBe(764)
})

test('seconds of which nothing is known are not said to be quiet ones, until they can be read', async () => {
  const { recorded, fail, decide, open, pass } = unwatched()
  for (let second = -20; second < 0; second++) recorded.count('admitted', ['tiger'], { second, units: 5 })
  recorded.fails = true
  await fail('failed')
  decide(7)
  recorded.clock += 10
  const page = await open()
  expect(page.totals).toMatchObject({ admitted: 7, knownFromSecond: zero })
  recorded.fails = false
  await pass(1)
  await pass(1)
  expect(page.totals).toMatchObject({ admitted: 107, knownFromSecond: null })
})

test('what was decided locally in an outage is not mixed with another one before', async () => {
  const { recorded, parts, fail, recover, decide, open } = unwatched()
  await fail('opened')
  decide(50)
  recorded.clock += 20
  recover()
  recorded.clock += 20
  recorded.fails = true
  await fail('opened')
  decide(3)
  recorded.clock += 5
  await open()
  expect(parts.sources.store().localUnits).toBe(3)
})
