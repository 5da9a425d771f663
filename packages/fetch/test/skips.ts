import type { Skip } from '@sluice/conformance/adapter'

const oneResponse = 'a handler answers by the Response that it returns: nothing of it begins before'

/** What no server of Web-standard handlers does. */
export const commonSkips: readonly Skip[] = [
  { scenario: '33:', reason: '`proxies` is a number: nobody is believed whatever he writes' },
  { scenario: 'the matched route', reason: 'a bare handler has no routes' },
  { scenario: 'an answer that has begun', reason: oneResponse },
  { scenario: 'after the head was sent', reason: oneResponse },
]
