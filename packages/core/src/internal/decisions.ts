export {
  decisionBindsMore,
  giveClient,
  holdsLeases,
  isDecisionShown,
  keepLeases,
  lapseLeases,
  nowUsBy,
  refusedUncounted,
  verdictsBehind,
} from '../decision/limiter-decision.ts'
export { summaryOf } from '../decision/summary.ts'
