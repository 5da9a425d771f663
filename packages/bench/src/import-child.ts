import { createRequire } from 'node:module'

// Its own words: load a package, and print how many ms of processor time that took.
const [, , name = '', way] = process.argv
const require = createRequire(import.meta.url)
const before = process.cpuUsage()
if (way === 'require') require(name)
else await import(name)
const { user, system } = process.cpuUsage(before)
process.stdout.write(String((user + system) / 1000))
