import { beforeEach, describe, expect, it } from '@jest/globals'
import { manualClock } from '@sluice/testing'
import type { Answer } from '../src/ending.ts'
import { type Reading, SlowReaders } from '../src/slow-readers.ts'

const second = 1_000_000

let clock: ReturnType<typeof manualClock>
let looks: number
let readers: SlowReaders
let abandoned: string[]
beforeEach(() => {
  clock = manualClock()
  looks = 0
  abandoned = []
  const sleep = async (ms: number, signal?: AbortSignal) => {
    looks++
    await clock.sleep?.(ms, signal)
  }
  readers = new SlowReaders({ nowUs: clock.nowUs, sleep }, 10 * second)
})

/** Of whose answer so much waits, and so much was taken. */
class Client implements Reading {
  readonly #raw = { writableLength: 1, taken: 0 }
  readonly answer = this.#raw as Answer // as much of one as is looked at
  waitsForClient = true
  drained = false
  progress: Reading['progress']
  previous: Reading | undefined
  next: Reading | undefined
  readonly #name: string

  constructor(name: string) {
    this.#name = name
    readers.add(this)
  }

  look(): void {}

  abandon(): void {
    abandoned.push(this.#name)
  }

  takes(): void {
    this.#raw.taken++
  }

  hasAll(): void {
    this.#raw.writableLength = 0
  }
}

/** A client of whose answer it is only known that it drains, or how much of a stream waits. */
function clientOf(name: string, facts: object): Reading {
  const answer = { writableLength: 1, ...facts } as Answer // as much of one as is looked at
  const abandon = () => void abandoned.push(name)
  const links = { progress: undefined, previous: undefined, next: undefined }
  const reading = { answer, waitsForClient: true, drained: false, look() {}, abandon, ...links }
  readers.add(reading)
  return reading
}

/** The clients that are abandoned in this many seconds. */
async function after(seconds: number): Promise<readonly string[]> {
  abandoned = []
  await clock.advance(`${seconds}s`)
  return abandoned
}

describe('the clients of a gate', () => {
  it('that take nothing of what waits for them are abandoned after ten seconds, once, and are looked at once a second', async () => {
    new Client('bob')
    // The first look finds that something waits.
    expect(await after(10)).toEqual([])
    expect(await after(1)).toEqual(['bob'])
    expect(await after(60)).toEqual([])
    expect(looks).toBe(11)
  })

  it('begin anew whenever they take something, have all of it, or their handler goes on', async () => {
    const [bob, eve, joe] = [new Client('bob'), new Client('eve'), new Client('joe')]
    await after(6)
    bob.takes()
    eve.hasAll()
    joe.waitsForClient = false
    expect(await after(9)).toEqual([])
    joe.waitsForClient = true
    expect(await after(2)).toEqual(['bob'])
    expect(await after(9)).toEqual(['joe'])
    expect(await after(60)).toEqual([])
  })

  it('whose answer is over are not looked at any more', async () => {
    const [bob, eve] = [new Client('bob'), new Client('eve')]
    await after(6)
    readers.delete(bob)
    expect(await after(60)).toEqual(['eve'])
    expect(looks).toBe(11)
    expect(eve.waitsForClient).toBe(true)
  })

  it('are looked at by one timer, and those that come after a time without any as well', async () => {
    const first = [new Client('bob'), new Client('eve'), new Client('joe')]
    expect(looks).toBe(1)
    for (const each of first) readers.delete(each)
    await after(60)
    expect(looks).toBe(1)
    new Client('late')
    expect(await after(11)).toEqual(['late'])
  })

  it('take something where an answer drains that has no connection of its own', async () => {
    const bob = clientOf('bob', {})
    for (let i = 0; i < 3; i++) {
      expect(await after(6)).toEqual([])
      bob.drained = true
    }
    expect(await after(10)).toEqual([])
    expect(await after(1)).toEqual(['bob'])
  })

  it('take something of a stream of HTTP/2 where less of it waits, or it drains and is filled at once', async () => {
    const stream = { bufferSize: 100 }
    const bob = clientOf('bob', { stream, socket: {} })
    for (let i = 0; i < 3; i++) {
      expect(await after(6)).toEqual([])
      stream.bufferSize -= 10
    }
    expect(await after(6)).toEqual([])
    bob.drained = true
    expect(await after(10)).toEqual([])
    expect(await after(1)).toEqual(['bob'])
  })
})
