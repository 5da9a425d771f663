// Preloaded into a program of the pages: when it ends, it says on descriptor 3 for how many milliseconds it stood still at most.
import { writeSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'

const delay = monitorEventLoopDelay({ resolution: 10 })
delay.enable()
process.on('exit', () => writeSync(3, String(delay.max / 1e6)))
