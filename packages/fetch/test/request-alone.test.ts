import { describeAdapter } from '@sluice/conformance/adapter'
import { commonSkips } from './skips.ts'
import { startShowing } from './start.ts'

const unseen = 'without the response, what the server has read of a body counts as sent'
const noEnd = 'without the response, nobody ends it with its connection'
const writes = 'without the response, nobody sees who writes past it'

/** As on SvelteKit: a connection says when it ends, and the body how far it is. */
describeAdapter("@sluice/fetch, shown Node's request alone", startShowing('request'), [
  ...commonSkips,
  { scenario: 'a handler that had answered before the hang-up leaves its place', reason: unseen },
  { scenario: 'what is settled is a client that went before anything was sent', reason: unseen },
  { scenario: 'a response that waits behind an unanswered request keeps its place', reason: unseen },
  { scenario: 'a response that has a time-out ends with the connection', reason: noEnd },
  { scenario: 'taken over by a detached socket', reason: writes },
  { scenario: 'taken over by raw writes', reason: writes },
  { scenario: 'that waits for a pipeline', reason: writes },
  { scenario: 'is known to work on behind its answer', reason: writes },
])
