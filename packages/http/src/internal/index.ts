/** Unstable: for Sluice's own packages. A minor version may change anything here. */

export { canonicalAddress } from '../address.ts'
export { asError } from '../as-error.ts'
export { compileAddressList } from '../cidr.ts'
export { groupOf, groupsOf } from '../client-groups.ts'
export {
  type Answer,
  clientClosedRequest,
  type Ended,
  isClosed,
  isTakenOver,
  type Reply,
  whenClosed,
} from '../ending.ts'
export type { AnyRouteMiddleware } from '../express-types.ts'
export { believesAnybody, ReplyFields, type RouteConfig } from '../fastify-requests.ts'
export { checkArguments, createGate, Gate, withHandle } from '../gate.ts'
export { type HandledOutcome, handleRequest } from '../handle.ts'
export { type BodyFault, readJsonBody } from '../json-body.ts'
export { KeptWith } from '../kept.ts'
export { type Entry, ListTable, mostEntries, readEntry } from '../list-table.ts'
export { mergeWith } from '../merge-upstream.ts'
export { isClientNetwork, networkBitsOf } from '../network-keys.ts'
export type { AnyOptions, Maybe } from '../options.ts'
export {
  hostNameOf,
  isLoopbackAddress,
  isLoopbackName,
  isOwnOrigin,
  whyNotLocal,
} from '../own-origin.ts'
export { jsonAnswer, type PlainAnswer, problemAnswer } from '../plain-answer.ts'
export { bringFields, refusalAsError } from '../refusal.ts'
export { bindingDecision, type HeaderPort, stateOf, writeFields, writtenFields } from '../request-state.ts'
export { factsIn, type RequestFacts } from '../request-view.ts'
export { checkShared, createRouteGate } from '../route-gate.ts'
export { isUnsent, whenHandlerEnds } from '../silent-ends.ts'
export { KeyAnswers } from '../subject.ts'
export { readTrusted, serverFacts } from '../trust-proxy.ts'
export { Work } from '../work.ts'
