// Preloaded into a program of the pages, which prints whole seconds: on a busy machine it may get no core for a while, and its clocks do not
// show that. Between two looks at a clock only a little time passes, unless a timer has ended.
import { syncBuiltinESMExports } from 'node:module'
import { performance } from 'node:perf_hooks'
import timers from 'node:timers'
import timersPromises from 'node:timers/promises'

const mostBetweenMs = 2
const realNow = performance.now.bind(performance)
let seenMs = realNow()
let nowMs = seenMs

function now() {
  const ms = realNow()
  nowMs += Math.min(ms - seenMs, mostBetweenMs)
  seenMs = ms
  return nowMs
}

/** A timer that ends: it is at least as late as it was set for. */
function reach(dueMs) {
  nowMs = Math.max(now(), dueMs)
}

performance.now = now
process.uptime = () => now() / 1000
const hrtime = () => [Math.floor(now() / 1000), Math.floor((nowMs % 1000) * 1e6)]
process.hrtime = Object.assign(hrtime, { bigint: () => BigInt(Math.floor(now() * 1e6)) })
const RealDate = Date
globalThis.Date = class SteadyDate extends RealDate {
  constructor(...args) {
    super(...(args.length === 0 ? [SteadyDate.now()] : args))
  }

  static now() {
    return Math.floor(performance.timeOrigin + now())
  }
}

const { setTimeout, setInterval } = timers
timers.setTimeout = globalThis.setTimeout = (call, ms = 0, ...args) => {
  const dueMs = now() + ms
  return setTimeout(() => {
    reach(dueMs)
    call(...args)
  }, ms)
}
timers.setInterval = globalThis.setInterval = (call, ms = 0, ...args) => {
  let dueMs = now()
  return setInterval(() => {
    dueMs += ms
    reach(dueMs)
    call(...args)
  }, ms)
}
const { setTimeout: pause } = timersPromises
timersPromises.setTimeout = async (ms = 0, ...args) => {
  const dueMs = now() + ms
  const value = await pause(ms, ...args)
  reach(dueMs)
  return value
}
syncBuiltinESMExports()
