import { describeStateStore, memoryUnderTest, statesUnderTest } from '@sluice/conformance'
import { describeSameRows, onwards } from '@sluice/conformance/internal'
import { mapOfStates } from './map-of-states.ts'

// The arithmetic is the memory store's, which plays all histories.
const states = async () => ({ ...mapOfStates(), share: 0.1 })

describeStateStore('states in a Map', states)
describeSameRows(
  'memory and states in a Map agree',
  [memoryUnderTest, () => statesUnderTest(states)],
  onwards,
)
