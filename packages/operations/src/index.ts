export { type Operations, type OperationsHealth, operations } from './operations.ts'
export type { OperationsOptions } from './options.ts'
