export {
  aFunction,
  count,
  describeOptions,
  type Made,
  type Means,
  never,
  perPolicy,
  truth,
} from './describe-options.ts'
export { nonsense } from './nonsense.ts'
