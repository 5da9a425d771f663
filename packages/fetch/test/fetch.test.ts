import { describeAdapter } from '@sluice/conformance/adapter'
import { commonSkips } from './skips.ts'
import { startShowing } from './start.ts'

describeAdapter('@sluice/fetch', startShowing('both'), commonSkips)
