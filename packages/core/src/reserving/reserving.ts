import { type AnyCheckOptions, type AnySubject, askedPolicy } from '../call-options.ts'
import type { Decision } from '../decision/decision.ts'
import { optionError } from '../errors.ts'
import { checkNames } from '../options.ts'
import { type Places, placesOf } from '../places/ability.ts'
import { refusalError } from '../refused-error.ts'
import { readJitter } from '../waiting/wait.ts'
import type { Reserving, WaitingLimiter } from './ability.ts'
import { delayed } from './delays.ts'
import {
  canLine,
  readMaxWait,
  readPriority,
  readSignal,
  refuseJitter,
  refuseReserving,
  reserveNames,
  type WaitOptions,
  waitNames,
} from './options.ts'

/** All that reserving and waiting need: a strategy that imports this brings it along. */
export const reserving: Reserving = {
  reserve(limiter, subject, options) {
    limiter.mustBeAble('reserve', 'reserve')
    checkNames(options, 'options', reserveNames)
    const { maxWait, ...asked } = options
    return limiter.decide(subject, asked, 'reserve', readMaxWait(maxWait))
  },
  wait(limiter, subject, options) {
    mustBeAbleToWait(limiter, 'wait')
    return waited(limiter, subject, options)
  },
  async run(limiter, subject, { work, options }) {
    mustBeAbleToWait(limiter, 'run')
    if (typeof work !== 'function') throw optionError('work', 'a function: run(key, work)', work)
    const decision = await waited(limiter, subject, options)
    if (!decision.allowed) throw refusalError(decision)
    try {
      return await work(decision)
    } finally {
      await decision.release()
    }
  },
  delay(limiter, subject, { options, wait }) {
    const places = placesFor(limiter, options)
    if (places !== undefined) return places.seek(limiter, subject, { options, wait })
    const reserve = (maxWaitUs: number) => limiter.decide(subject, options, 'reserve', maxWaitUs)
    return delayed(limiter, reserve, wait)
  },
}

function waited(
  limiter: WaitingLimiter,
  subject: AnySubject,
  options: AnyCheckOptions & WaitOptions,
): Decision | Promise<Decision> {
  checkNames(options, 'options', waitNames)
  const { maxWait, signal, jitter, priority, ...asked } = options
  const wait = {
    maxWaitUs: readMaxWait(maxWait),
    signal: readSignal(signal),
    jitter: readJitter(jitter),
    priority: readPriority(priority),
  }
  if (wait.jitter !== undefined) refuseJitter(limiter.checksOf(subject, asked))
  if (wait.priority !== undefined) refuseReserving(limiter.checksOf(subject, asked))
  return reserving.delay(limiter, subject, { options: asked, wait })
}

/** Throws unless every policy can reserve, or the only one has a line. */
function mustBeAbleToWait(limiter: WaitingLimiter, verb: 'wait' | 'run'): void {
  const places = placesFor(limiter, {})
  if (places === undefined) limiter.mustBeAble('reserve', verb)
  else places.mustBeAbleToWait(limiter, verb)
}

/** What a waiting caller needs to stand in line for a place in flight; undefined: it reserves instead. */
function placesFor({ lanes }: WaitingLimiter, options: AnyCheckOptions): Places | undefined {
  for (const lane of lanes) {
    const asked = askedPolicy(lane, options)
    if (canLine(asked)) return placesOf({ policy: asked })
  }
  return undefined
}
