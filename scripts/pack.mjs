// Packs all packages, unless that has been done: before the tests, while other checks run beside it.
import { packed } from './packed.mjs'

await packed()
