export { type StateStoreOptions, stateStore } from './state-store.ts'
export type { StateWrite } from './states.ts'
export type { StateChange, Transact } from './transactions.ts'
