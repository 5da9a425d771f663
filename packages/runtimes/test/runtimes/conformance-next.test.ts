/** @jest-environment ./scripts/jest/built.mjs */
import { beforeAll } from '@jest/globals'
import { describeAdapter, type Start } from '@sluice/conformance/adapter'
import { startInNext } from '../../src/suite/built/next.ts'

const oneResponse = 'a handler answers by the Response that it returns: nothing of it begins before'
const ownError = 'Next.js answers whatever a route handler throws with 500 and without fields'
const ownFields = 'Next.js compresses, and so sends Vary and no Content-Length'
const methods = 'a route handler of Next.js has seven methods, and others meet no limiter'
const unread =
  'Next.js shows no response, and reads the address itself: what it has read of a body counts as sent'
const forwards = 'Next.js itself writes this field, and X-Forwarded-For, where a request has none'
const http1 = 'Next.js speaks HTTP/1.1: it ends no response of HTTP/2'

let start: Start
beforeAll(async () => {
  start = await startInNext()
}, 300_000)

describeAdapter('Next.js', (site) => start(site), [
  { scenario: "no byte of a client's text reaches a field", reason: methods },
  { scenario: 'gone with its address unread', reason: 'Next.js itself has read the address by then' },
  { scenario: 'reset behind its request', reason: unread },
  { scenario: 'who is on the deny list reaches no handler by hanging up early', reason: unread },
  { scenario: 'a handler that had answered before the hang-up leaves its place', reason: unread },
  { scenario: 'what is settled is a client that went before anything was sent', reason: unread },
  { scenario: 'a response that waits behind an unanswered request keeps its place', reason: unread },
  { scenario: 'a response that has a time-out ends with the connection', reason: oneResponse },
  { scenario: 'taken over', reason: oneResponse },
  { scenario: 'is known to work on behind its answer', reason: oneResponse },
  { scenario: '33:', reason: '`proxies` is a number: nobody is believed whatever he writes' },
  { scenario: 'by the matched route', reason: 'Next.js tells a route handler no pattern' },
  { scenario: 'an answer that has begun', reason: oneResponse },
  { scenario: 'after the head was sent', reason: oneResponse },
  { scenario: '15:', reason: ownError },
  { scenario: 'one error object for many requests', reason: ownError },
  { scenario: '23: nobody handles it', reason: ownError },
  { scenario: 'the status that onRefused chose', reason: ownError },
  { scenario: '24: a denied request meets onRefused', reason: ownError },
  { scenario: '3: a refusal is the same', reason: ownFields },
  { scenario: '22: another refusal', reason: ownFields },
  { scenario: 'on HTTP/2', reason: http1 },
  { scenario: 'X-Forwarded-Host of a proxy', reason: forwards },
  { scenario: 'X-Forwarded-Proto of a proxy', reason: forwards },
  { scenario: 'X-Forwarded-Port of a proxy', reason: forwards },
  { scenario: '49: sixty HTTP/2 streams', reason: http1 },
  { scenario: '49: HTTP/2 streams that are settled, reset', reason: http1 },
  { scenario: '49: an HTTP/2 session that is destroyed', reason: http1 },
  { scenario: '37: one count for every method of a', reason: methods },
])
