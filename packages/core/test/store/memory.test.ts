import { describeStore, memoryUnderTest } from '@sluice/conformance'
import { withFewerHistories } from '@sluice/conformance/internal'

describeStore('memory', async () => withFewerHistories(await memoryUnderTest(), 0.2), [
  {
    cases: 'gives its keys the lives',
    reason: 'memory gives no lives: an idle key goes when its room is wanted',
  },
  { cases: 'write nothing', reason: 'what memory stores cannot be seen' },
])
