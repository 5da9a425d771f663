export { blockForTimes } from '../strategies/block-for.ts'
export { instantMs } from '../strategies/calendar-text.ts'
export {
  type DeclaredStrategy,
  declaredStrategies,
  optionsFor,
  policyOfData,
  unknownStrategy,
} from '../strategies/declared.ts'
export { strategyOfCode } from '../strategies/listed.ts'
export type { StrategyOption } from '../strategies/options.ts'
