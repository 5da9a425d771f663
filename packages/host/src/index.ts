export { type HostStoreOptions, hostStore } from './host-store.ts'
