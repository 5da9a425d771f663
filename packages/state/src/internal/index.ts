/** Unstable: for Sluice's own packages. A minor version may change anything here. */

export { fromJson, toJson } from '../json.ts'
export { type ObjectStorage, transactOn } from '../object-transact.ts'
export { StateStore } from '../store.ts'
export { readStored, writeStored } from '../stored.ts'
