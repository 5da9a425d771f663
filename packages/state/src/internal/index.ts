/** Unstable: for Sluice's own packages. A minor version may change anything here. */

export { StateStore } from '../store.ts'
