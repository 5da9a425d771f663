import { beforeEach, describe, expect, it } from '@jest/globals'
import type { RecordedEvent } from '../src/index.ts'
import { type Moved, movedRecorder } from './moved-recorder.ts'

describe('the events of a recorder', () => {
  let moved: Moved
  let written: (readonly RecordedEvent[])[]
  let fails: boolean
  beforeEach(() => {
    written = []
    fails = false
    moved = movedRecorder()
    Object.assign(moved.sink, {
      async addEvents(events: readonly RecordedEvent[]) {
        if (fails) throw new Error('away')
        written.push(events)
      },
      events: async (fromMs: number) => written.flat().filter(({ atMs }) => atMs >= fromMs),
    })
  })

  function add(text: string): void {
    moved.seen.addEvent({ atMs: moved.seen.nowMs(), text })
  }

  function texts(): readonly (readonly string[])[] {
    return written.map((batch) => batch.map(({ text }) => text))
  }

  it('are written a tenth of a second later, those of the meantime together', async () => {
    add('one')
    await moved.advance('99ms')
    add('two')
    expect(texts()).toEqual([])
    await moved.advance('1ms')
    expect(texts()).toEqual([['one', 'two']])
    await moved.advance('1h')
    expect(texts()).toEqual([['one', 'two']])
  })

  it('wait while the sink is unavailable, the latest 200 of them', async () => {
    fails = true
    for (let i = 0; i < 250; i++) add(`${i}`)
    await moved.advance('10m')
    fails = false
    await moved.advance('1m')
    expect(texts()).toEqual([Array.from({ length: 200 }, (_, i) => `${i + 50}`)])
  })

  it('are tried again after 1 s, 2 s, 4 s, and at last each minute', async () => {
    const triedAt: number[] = []
    const startMs = moved.localMs()
    Object.assign(moved.sink, {
      async addEvents() {
        triedAt.push((moved.localMs() - startMs) / 1000)
        throw new Error('away')
      },
    })
    add('one')
    for (let i = 0; i < 200; i++) await moved.advance('1s')
    const waits = triedAt.map((at, i) => Math.round(at - (triedAt[i - 1] ?? 0)))
    expect(waits).toEqual([0, 1, 2, 4, 8, 16, 32, 60, 60])
  })

  it('are tried again five seconds and another after a write that never ends', async () => {
    let calls = 0
    Object.assign(moved.sink, {
      async addEvents(events: readonly RecordedEvent[]) {
        if (calls++ === 0) await new Promise(() => {})
        written.push(events)
      },
    })
    add('one')
    await moved.advance('6s')
    expect(texts()).toEqual([])
    await moved.advance('100ms')
    expect(texts()).toEqual([['one']])
  })

  it('are written before they are read, and before it closes', async () => {
    add('one')
    expect((await moved.seen.events(0)).map(({ text }) => text)).toEqual(['one'])
    add('two')
    await moved.seen.close()
    add('three')
    await moved.advance('1m')
    expect(texts()).toEqual([['one'], ['two']])
  })

  it('are none where the sink keeps none', async () => {
    const { seen } = movedRecorder()
    seen.addEvent({ atMs: seen.nowMs(), text: 'one' })
    expect(await seen.events(0)).toEqual([])
    await seen.close()
  })

  it('are cut to 4,000 characters', async () => {
    add('x'.repeat(5000))
    expect((await moved.seen.events(0)).map(({ text }) => text.length)).toEqual([4000])
  })
})
