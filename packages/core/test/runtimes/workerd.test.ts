import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals'
import { RestFront, until } from '@sluice/faults'
import { socket } from '@sluice/faults/redis-socket'
import { bundleForWorkers, type RunningWorker, serveWorker } from '@sluice/runtimes'

let front: RestFront
let bundle: string
let worker: RunningWorker
beforeAll(async () => {
  front = new RestFront(socket)
  await front.start()
  bundle = await bundleForWorkers(path.join(import.meta.dirname, 'worker.ts'))
})
afterEach(() => front.become({ fault: 'none' }))
afterAll(() => front.end())

async function ask(way: string, signal?: AbortSignal): Promise<unknown> {
  const response = await fetch(worker.url + way, signal === undefined ? {} : { signal })
  return response.ok ? await response.json() : await response.text()
}

function askTimes(times: number, way: string): Promise<unknown[]> {
  return Promise.all(Array.from({ length: times }, () => ask(way)))
}

describe.each([
  ['as a worker is by default', []],
  ['with what workerd has of Node', ['nodejs_compat']],
])('in workerd, %s', (_how, flags) => {
  beforeAll(async () => {
    worker = await serveWorker(bundle, {
      env: { REST_URL: front.url, REST_TOKEN: front.token },
      flags,
    })
  })
  afterAll(async () => {
    // workerd says so when a request hangs, or when it has touched what belongs to another.
    expect(worker.output()).toBe('')
    await worker.close()
  })
  const mark = flags.length

  it('a limiter in memory counts across requests', async () => {
    const answers = await askTimes(5, '/memory?key=alice')
    expect(answers.filter((answer) => (answer as { allowed: boolean }).allowed)).toHaveLength(3)
    expect(await ask('/memory?key=bob')).toEqual({ allowed: true, source: 'memory', limit: 3, remaining: 2 })
    expect(await askTimes(6, '/guarded?key=bob')).toEqual(
      [1, 2, 3, 4, 5, 6].map((nth) => ({ allowed: nth < 6 })),
    )
  })

  it('requests that wait for their turns are all woken', async () => {
    expect(await askTimes(5, '/wait?key=alice')).toEqual(Array.from({ length: 5 }, () => ({ allowed: true })))
  })

  it.each([
    ['in memory', ''],
    ['in Redis, over REST', '&limiter=places'],
  ])('requests that wait for a place all get it: %s', async (_where, limiter) => {
    expect(await askTimes(5, `/hold?key=alice${mark}${limiter}`)).toEqual(
      Array.from({ length: 5 }, () => ({ held: true })),
    )
  })

  it('a limiter in Redis, over REST, counts exactly, and each request asks for itself', async () => {
    await ask(`/rest?limiter=exact&key=first${mark}`)
    front.calls.length = 0
    const answers = await askTimes(20, `/rest?limiter=exact&key=alice${mark}`)
    expect(answers.filter((answer) => (answer as { allowed: boolean }).allowed)).toHaveLength(5)
    expect(answers).toEqual(answers.map(() => expect.objectContaining({ source: 'redis' })))
    expect(front.calls.map(({ path: way, commands }) => `${way} ${commands}`)).toEqual(
      answers.map(() => '/ EVALSHA').slice(0, front.calls.length),
    )
  })

  it('a request whose client has gone holds up no other', async () => {
    await ask(`/rest?limiter=gone&key=first${mark}`)
    front.become({ fault: 'silence' })
    front.calls.length = 0
    const gone = new AbortController()
    const first = ask(`/rest?limiter=gone&key=a${mark}`, gone.signal).catch(() => 'gone')
    await until(async () => front.calls.length === 1, { what: 'waiting for the front to be asked' })
    gone.abort()
    expect(await first).toBe('gone')
    expect(await askTimes(3, `/rest?limiter=gone&key=b${mark}`)).toEqual(
      Array.from({ length: 3 }, () => expect.objectContaining({ allowed: true, source: 'fallback' })),
    )
  })

  it('an outage of the front is answered without it, and found to be over', async () => {
    let asked = 0
    // What was counted without the front is held against a key for a while, so each has another.
    const askAgain = () =>
      ask(`/rest?limiter=outage&key=${mark}.${asked++}`) as Promise<{ source: string; breaker: string }>
    await askAgain()
    front.become({ fault: 'answer', status: 503 })
    await until(async () => (await askAgain()).breaker === 'open', {
      what: 'waiting for the circuit to open',
    })
    front.become({ fault: 'none' })
    await until(
      async () => {
        const { source, breaker } = await askAgain()
        return source === 'redis' && breaker === 'closed'
      },
      { what: 'waiting for the circuit to close' },
    )
  })
})
