import type { Skip } from '@sluice/conformance/adapter'

const oneResponse = 'a handler answers by the Response that it returns: nothing of it begins before'

/** What no server of Web-standard handlers does. */
export const commonSkips: readonly Skip[] = [
  { scenario: '33:', reason: '`proxies` is a number: nobody is believed whatever he writes' },
  { scenario: 'the matched route', reason: 'a bare handler has no routes' },
  { scenario: 'an answer that has begun', reason: oneResponse },
  { scenario: 'after the head was sent', reason: oneResponse },
]

const unseen = 'a server that shows nothing of Node aborts no signal of what waits on its connection'

/** What no handler sees of its connection that is shown the request alone. */
export const unseenSkips: readonly Skip[] = [
  { scenario: 'behind an unanswered request', reason: unseen },
  { scenario: 'a connection that is reset behind its request', reason: unseen },
  { scenario: 'taken over by', reason: unseen },
  { scenario: 'taken over: a handler that waits for what never comes', reason: unseen },
  { scenario: 'taken over: who waits for a place with an upgrade', reason: unseen },
  { scenario: 'that waits for a pipeline', reason: unseen },
  { scenario: 'is known to work on behind its answer', reason: unseen },
]
