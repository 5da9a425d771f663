/** @jest-environment ./scripts/jest/built.mjs */
import { beforeAll } from '@jest/globals'
import { describeAdapter, type Start } from '@sluice/conformance/adapter'
import { startInSvelteKit } from '../../src/suite/built/sveltekit.ts'

const oneResponse = 'a handler answers by the Response that it returns: nothing of it begins before'
const ownError = "SvelteKit answers any error but its own `error()` with 500 and without the error's fields"
const chunked = 'adapter-node sends no Content-Length that the Response does not have'
const unseen = 'adapter-node shows no response: what it has read of a body counts as sent'
const hangUp = 'adapter-node tells nobody of an HTTP/2 stream that is reset once its request was read'
const noTrace = 'no Request has the method TRACE: adapter-node answers 400'

let start: Start
beforeAll(async () => {
  start = await startInSvelteKit()
}, 300_000)

describeAdapter('SvelteKit', (site) => start(site), [
  { scenario: 'taken over', reason: oneResponse },
  { scenario: '33:', reason: '`proxies` is a number: nobody is believed whatever he writes' },
  { scenario: 'by the matched route', reason: 'SvelteKit writes /zoo/:animal as /zoo/[animal]' },
  { scenario: 'an answer that has begun', reason: oneResponse },
  { scenario: 'an answer given meanwhile', reason: oneResponse },
  { scenario: 'after the head was sent', reason: oneResponse },
  { scenario: "an error's own status and fields", reason: ownError },
  { scenario: '23: nobody handles it', reason: ownError },
  { scenario: 'the status that onRefused chose', reason: ownError },
  { scenario: '24: a denied request meets onRefused', reason: ownError },
  { scenario: '37: one count for every method of a', reason: noTrace },
  { scenario: 'a handler that had answered before the hang-up leaves its place', reason: unseen },
  { scenario: 'what is settled is a client that went before anything was sent', reason: unseen },
  { scenario: 'a response that waits behind an unanswered request keeps its place', reason: unseen },
  { scenario: 'a response that has a time-out ends with the connection', reason: oneResponse },
  { scenario: 'a handler that works on keeps its place', reason: oneResponse },
  { scenario: 'is known to work on behind its answer', reason: oneResponse },
  { scenario: 'that waits for a pipeline', reason: hangUp },
  { scenario: 'on HTTP/2 a stream that is cancelled', reason: hangUp },
  { scenario: '49: HTTP/2 streams that are settled, reset', reason: hangUp },
  { scenario: '49: an HTTP/2 session that is destroyed', reason: hangUp },
  {
    scenario: 'a second copy sees',
    reason: '`sequence` copies the event: the marks are on the copy that a limiter has met first',
  },
  { scenario: '3: a refusal is the same', reason: chunked },
  { scenario: '22: another refusal', reason: chunked },
])
