export { blockForTimes } from '../strategies/block-for.ts'
export {
  type DeclaredStrategy,
  declaredStrategies,
  optionsFor,
  policyOfData,
  unknownStrategy,
} from '../strategies/declared.ts'
export { strategyNamed } from '../strategies/listed.ts'
export { isRequired, type OptionWords, type StrategyOption } from '../strategies/options.ts'
