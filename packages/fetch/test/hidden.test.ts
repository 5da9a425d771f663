import { describeAdapter } from '@sluice/conformance/adapter'
import { commonSkips } from './skips.ts'
import { startShowing } from './start.ts'

const unseen = 'a server that shows nothing of Node aborts no signal of what waits on its connection'

/** As on Next.js: of a response, only the body says how far it is. */
describeAdapter('@sluice/fetch, shown nothing of Node', startShowing('nothing'), [
  ...commonSkips,
  { scenario: 'behind an unanswered request', reason: unseen },
  { scenario: 'taken over by', reason: unseen },
  { scenario: 'taken over: a handler that waits for what never comes', reason: unseen },
  { scenario: 'taken over: who waits for a place with an upgrade', reason: unseen },
])
