export {
  decisionBindsMore,
  giveClient,
  holdsLeases,
  isDecisionShown,
  isOfOne,
  keepLeases,
  lapseLeases,
  nowUsBy,
  refusedUncounted,
  verdictsBehind,
} from '../decision/limiter-decision.ts'
export { summaryOf } from '../decision/summary.ts'
