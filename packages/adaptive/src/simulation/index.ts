export { bestOf, FixedLimit, type FixedRun, fixedRuns, goodIn } from './fixed-limit.ts'
export { type Scenario, scenarios } from './scenario.ts'
export { type Admission, requestsOf, type Second, type SimulatedRun, simulate } from './simulate.ts'
