import { EventEmitter } from 'node:events'
import { describe, expect, it } from '@jest/globals'
import { waitOf } from '../src/max-wait.ts'
import { RequestState } from '../src/request-state.ts'

/** As much of a response as shows whether its client is still there. */
function response(facts: object) {
  return Object.assign(new EventEmitter(), { destroyed: false, writableEnded: false }, facts)
}

function clientOf(raw: ReturnType<typeof response>): RequestState {
  const client = new RequestState({})
  client.response = raw
  return client
}

describe('the patience of a request', () => {
  it.each<[string, object]>([
    ['whose connection is gone', { destroyed: true }],
    ['whose HTTP/2 stream is gone', { stream: { destroyed: true } }],
  ])('%s is over at once', (_title, facts) => {
    expect(waitOf(clientOf(response(facts)), 1000).signal.aborted).toBe(true)
  })

  it('is over when its client goes', () => {
    const raw = response({ stream: { destroyed: false } })
    const { signal } = waitOf(clientOf(raw), 1000)
    expect(signal.aborted).toBe(false)
    raw.emit('close')
    expect(signal.aborted).toBe(true)
  })
})
