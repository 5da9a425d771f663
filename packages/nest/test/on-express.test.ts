import { describeAdapter } from '@sluice/conformance/adapter'
import { onExpress, startOn } from './start.ts'

describeAdapter('Nest on Express', startOn(onExpress), [
  { scenario: 'HTTP/2', reason: 'Express has no HTTP/2' },
  {
    scenario: 'raw writes of a handler that has returned',
    reason: 'a handler that takes the response itself may return before it answers',
  },
  { scenario: "15: an error's own status and fields", reason: "Nest's filters know no fields of an error" },
])
