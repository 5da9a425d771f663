import { provesTogether } from './together.ts'

// More of them are among the trials.
provesTogether([1])
