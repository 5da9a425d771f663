/** Unstable: for Sluice's own packages. A minor version may change anything here. */

export { type ObjectStorage, transactOn } from '../object-transact.ts'
export { StateStore } from '../store.ts'
