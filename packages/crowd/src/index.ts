export type { StandAnswer } from './answer.ts'
export { isNeighbour } from './neighbour.ts'
export type {
  CountedTogether,
  CrowdTicket,
  OpenedRun,
  PolicyOrder,
  RunOrder,
  RunState,
  StandState,
} from './protocol.ts'
export { type Stand, type StandOptions, stand, type VisitLimits } from './stand.ts'
