import { createRequire } from 'node:module'
import { ownCpuUs } from './cpu-time.ts'

// Its own words: load a package, and print how many ms of processor time that took.
const [, , name = '', way] = process.argv
const require = createRequire(import.meta.url)
const fromUs = ownCpuUs()
if (way === 'require') require(name)
else await import(name)
process.stdout.write(String((ownCpuUs() - fromUs) / 1000))
