import { describeStore, memoryUnderTest } from '@sluice/conformance'

describeStore('memory', memoryUnderTest, [
  {
    cases: 'gives its keys the lives',
    reason: 'memory gives no lives: an idle key goes when its room is wanted',
  },
  { cases: 'write nothing', reason: 'what memory stores cannot be seen' },
])
