export { blockForTimes } from '../strategies/block-for.ts'
export {
  type DeclaredStrategy,
  declaredStrategies,
  optionsFor,
  policyOfData,
  strategyOfCode,
  unknownStrategy,
} from '../strategies/declared.ts'
export { isRequired, type OptionWords, type StrategyOption } from '../strategies/options.ts'
