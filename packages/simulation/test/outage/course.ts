import type { Decision, Limiter } from '@sluice/core'

/** One of each kind. Each lasts as long as it is asked to, but for those that are over at once. */
export const outages = [
  'lost replies',
  'late replies',
  'silent connections',
  'a hang',
  'a reset',
  'half of a connection that ends',
  'refused connections',
  'a restart without data',
  'READONLY',
  'OOM',
  'MISCONF',
  'BUSY',
  'lost scripts',
  'a clock an hour ahead',
] as const
export type Outage = (typeof outages)[number]

interface Asked extends Pick<Limiter, 'ready' | 'health'> {
  check(key: string): Promise<Pick<Decision, 'allowed' | 'reason' | 'source' | 'remaining'>>
  peek(key: string): Promise<Pick<Decision, 'source' | 'remaining'>>
}

/** Where a course is played: a server and two processes, of which the outage befalls the first and its server. */
export interface Side {
  readonly limiter: Asked
  /** On another connection. */
  readonly witness: Asked
  /** Resolves when it has begun; it ends by itself after so long, and `over` resolves. */
  befall(outage: Outage, forMs: number): Promise<{ readonly over: Promise<void> }>
  elapse(ms: number): Promise<void>
}

/** Both sides count by it. */
export const limit = 4
export const deadlineMs = 250
const outageMs = 4500
/** Of each reply in `late replies`. */
export const lateMs = 600
/** Longer than a deadline, and than a circuit needs to open after a failure, so that no order of events is near another. */
const pauseMs = 350
const roundsInOutage = 2
/** A silent connection is given up after two seconds, and probes come half a second apart. */
const mostAsksAfter = 30

/** What callers see of an outage: who decided, how, and what health says; what is the same once more is left out. */
export async function courseOf(side: Side, outage: Outage): Promise<readonly string[]> {
  const { limiter, witness } = side
  const course: string[] = []
  const check = async (key: string) => {
    const { allowed, reason, source, remaining } = await limiter.check(key)
    const said = `${key}: ${allowed ? 'allowed' : reason} by ${source}, ${remaining} left, ${limiter.health().status}`
    if (course.at(-1) !== said) course.push(said)
  }
  await Promise.all([limiter.ready(), witness.ready()])
  for (let i = 0; i <= limit; i++) await check('used up')
  for (let i = 0; i < 2; i++) await check('in use')
  const { over } = await side.befall(outage, outageMs)
  for (let i = 0; i < roundsInOutage; i++) {
    for (const key of ['used up', 'in use', 'in use', `new ${i}`]) {
      await check(key)
      await side.elapse(pauseMs)
    }
  }
  await over
  course.push('after the outage')
  // Whether a probe comes before the first of these is chance.
  for (let i = 0; i < mostAsksAfter && limiter.health().status !== 'ok'; i++) {
    await limiter.check(`newer ${i}`)
    await side.elapse(pauseMs)
  }
  await check('in use')
  await check('used up')
  for (const key of ['in use', 'used up']) {
    const { remaining, source } = await witness.peek(key)
    course.push(`elsewhere ${key}: ${remaining} left by ${source}`)
  }
  return course
}
