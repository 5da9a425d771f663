import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { describe, expect, it } from '@jest/globals'
import { patienceOf } from '../../src/http/holding.ts'

/** As much of a response as tells whether its client is still there. */
function response(facts: object): ServerResponse {
  return Object.assign(new EventEmitter(), { destroyed: false }, facts) as unknown as ServerResponse // nothing else is read
}

describe('the patience of a request', () => {
  it.each<[string, object]>([
    ['whose connection is gone', { destroyed: true }],
    ['whose HTTP/2 stream is gone', { stream: { destroyed: true } }],
  ])('%s is over at once', (_title, facts) => {
    expect(patienceOf(response(facts), 1000).signal.aborted).toBe(true)
  })

  it('is over when its client goes', () => {
    const raw = response({ stream: { destroyed: false } })
    const { signal } = patienceOf(raw, 1000)
    expect(signal.aborted).toBe(false)
    raw.emit('close')
    expect(signal.aborted).toBe(true)
  })
})
