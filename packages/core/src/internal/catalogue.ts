export { blockForTimes } from '../strategies/block-for.ts'
export {
  type DeclaredStrategy,
  dataOfPolicy,
  declaredStrategies,
  optionsFor,
  type PolicyData,
  policyOfData,
  strategyNamed,
  unknownStrategy,
} from '../strategies/declared.ts'
export { isRequired, type OptionWords, type StrategyOption } from '../strategies/options.ts'
