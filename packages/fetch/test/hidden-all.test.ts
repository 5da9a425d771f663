import { describeAdapter } from '@sluice/conformance/adapter'
import { commonSkips, unseenSkips } from './skips.ts'
import { startShowing } from './start.ts'

/** As on Next.js: of a response, only the body says how far it is. */
describeAdapter('@sluice/fetch, shown nothing of Node', startShowing('nothing'), [
  ...commonSkips,
  ...unseenSkips,
])
