import { describeScenarios } from '@sluice/conformance/adapter'
import { commonSkips, unseenSkips } from './skips.ts'
import { startShowing } from './start.ts'

const about = [
  'fields',
  'aborts',
  'holding',
  'slowing',
  'abandoned requests',
  'in flight',
  'in flight without a client',
  'in flight behind an unanswered request',
  'taken over',
  'in flight on streams that are reset',
  'in flight and unread',
  'hang-ups',
  'settling',
  'decisions',
  'queues',
  'pipelined requests',
  'streams',
  'closing',
]
const ofBegun = commonSkips.filter(({ scenario }) => scenario === 'after the head was sent')

/** As on Next.js: of a response, only the body says how far it is. What is read of a request is the same where more is shown. */
describeScenarios('@sluice/fetch, shown nothing of Node', startShowing('nothing'), {
  about,
  skips: [...ofBegun, ...unseenSkips],
})
