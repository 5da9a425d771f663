import { describeStateStore, memoryUnderTest, statesUnderTest } from '@sluice/conformance'
import { asOneMoreWay, describeSameRows, onwards } from '@sluice/conformance/internal'
import { mapOfStates } from './map-of-states.ts'

// The arithmetic is the memory store's, which plays more of them.
const states = async () => asOneMoreWay(mapOfStates(), 0.03)

describeStateStore('states in a Map', states)
describeSameRows(
  'memory and states in a Map agree',
  [memoryUnderTest, () => statesUnderTest(states)],
  onwards,
)
