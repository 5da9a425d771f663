export type { EndpointAnswer } from './answer.ts'
export {
  type LoadTestEndpoint,
  type LoadTestEndpointOptions,
  loadTestEndpoint,
  type VisitLimits,
} from './endpoint.ts'
export type {
  CountedTogether,
  CrowdTicket,
  EndpointState,
  OpenedRun,
  PolicyOrder,
  RunOrder,
  RunState,
} from './protocol.ts'
