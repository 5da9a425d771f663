import { describe, expect, it } from '@jest/globals'
import { boundsOf } from '../../src/trial/judge/bounds.ts'
import type { Course } from '../../src/trial/judge/course.ts'
import { type Judgement, judge } from '../../src/trial/judge/judge.ts'
import { Judged } from '../../src/trial/judged.ts'
import type { Machine } from '../../src/trial/load/machine.ts'
import type { Framework } from '../../src/trial/settings.ts'
import { asked, course, courseWhere, courseWith, quiet, refused, row } from './made-up.ts'

const unavailable = { status: 503, text: '', fields: { 'retry-after': '1' } }
const uncounted = { text: 'none', fields: {} }
const numbers = { 'x-ratelimit-limit': '20', 'x-ratelimit-remaining': '19', 'x-ratelimit-reset': '3600' }
const ok = { status: 'ok', fallbackDecisions: 10 } as const
const threeLimits = { bounds: { ...boundsOf('local'), limits: 3 } }
const noRecovery = { bounds: { ...boundsOf('local'), exactWithinMs: Number.POSITIVE_INFINITY } }
const anyRefusals = { bounds: { ...boundsOf('local'), refusedEarly: Number.POSITIVE_INFINITY } }
const refusedAt = (atMs: number) => courseWhere('busy', atMs, refused('busy', atMs))
const slowOnes = (times: number, stalledMs: number, fromMs = 2500) =>
  row(times, 'first-time', fromMs).map((one) => ({ ...one, waitMs: 1000, stalledMs }))
const seenByNobody = courseWhere('first-time', 2001, { text: 'redis' })

/** Every so manieth request was sent so late. */
function late(every: number, ms: number): Course {
  const { exchanges, ...others } = course()
  const lateOnes = exchanges.map((one, i) => {
    return i % every === 0 ? { ...one, dueAtMs: one.sentAtMs - ms } : one
  })
  return { ...others, exchanges: lateOnes }
}

/** On a machine where a process had no core for so long. */
function stalled(made: Course, changes: Partial<Machine> = {}): Course {
  return { ...made, machine: { ...quiet, longestStallMs: 101, ...changes } }
}

describe('a trial', () => {
  // biome-ignore format: a table
  it.each<[string, Course]>([
    // with                                            is one where all is well
    ['nothing else',                                   course()],
    ['a wait of 150 ms',                               courseWhere('busy', 3000, { waitMs: 150 })],
    ["503 with Retry-After under 'deny'",              courseWith([asked('first-time', 3001, unavailable)], 'deny')],
    ['the same until five seconds after it',           courseWith([asked('first-time', 8999, unavailable)], 'deny')],
    ["whoever passes under 'allow', uncounted",        courseWith([asked('exhausted', 3001, uncounted)], 'allow')],
    ["as many as there are under 'allow'",             courseWith(row(90, 'hoarding', 3000), 'allow')],
    ['an exhausted caller that is not so yet',         courseWith([asked('exhausted', 999)], 'deny', { bounds: threeLimits.bounds })],
    ['an exhausted caller that Redis has forgotten',   courseWith([asked('exhausted', 4001)], 'local', { forgets: true })],
    ['two limits in an hour',                          courseWith(row(20, 'hoarding', 3000))],
    ['three limits in an hour where that is allowed',  courseWith(row(40, 'hoarding', 3000), 'local', threeLimits)],
    ['two limits in a second of the trouble',          courseWith(row(10, 'busy', 2501))],
    ['eleven in a second a while after it',            courseWith([asked('busy', 7001)])],
    ['eleven in a second before it is warm',           courseWith([asked('busy', 0)])],
    ['a wrong refusal in the trouble that is allowed', { ...refusedAt(3000), ...anyRefusals }],
    ['the fallback five seconds after it',             courseWith([asked('first-time', 8999, { text: 'fallback' })])],
    ['nothing to be seen, where nothing may be',       { ...seenByNobody, sees: 'nothing' }],
    ['a server that stays down, where it may',         course('local', { ...noRecovery, healths: [{ ...ok, status: 'down' }] })],
    ['a slow one that had no core',                    courseWith(slowOnes(1, 850))],
    ['ten that had no core before the servers were warm', courseWith(slowOnes(10, 900, 500))],
    ['each request 100 ms late',                       late(1, 100)],
    ['one in fifty requests 101 ms late',             late(52, 101)],
  ])('with %s has no findings', (_what, made) => {
    expect(judge(made).findings).toEqual([])
  })

  // biome-ignore format: a table
  it.each<[string, Course, RegExp]>([
    // with                                            what                                                                      is found
    ['an error of a server',                           courseWith([asked('exhausted', 2500, { status: 500, text: 'oops' })]),    /^wrong status: 1 requests, the first exhausted at server 0, 500 ms into the trouble: 500 oops$/],
    ['no answer',                                      courseWith([asked('busy', 1999, { status: 0, text: 'ECONNRESET' })]),     /^wrong status: .* 1 ms before the trouble: 0 ECONNRESET$/],
    ["503 under 'local'",                              courseWith([asked('exhausted', 3001, unavailable)]),                      /^wrong status/],
    ["503 without Retry-After under 'deny'",           courseWith([asked('exhausted', 3001, { ...unavailable, fields: {} })], 'deny'), /^refused without Retry-After/],
    ['429 without Retry-After',                        courseWith([asked('exhausted', 3001, { status: 429, text: '', fields: { ...numbers, 'x-ratelimit-remaining': '0' } })]), /^refused without Retry-After/],
    ["503 with numbers under 'deny'",                  courseWith([asked('exhausted', 3001, { ...unavailable, fields: { ...numbers, 'retry-after': '1' } })], 'deny'), /^claims numbers/],
    ["200 with numbers under 'allow'",                 courseWith([asked('first-time', 3001, { ...uncounted, fields: numbers })], 'allow'), /^claims numbers/],
    ['counted and no numbers',                         courseWhere('first-time', 2001, { fields: {} }),                          /^numbers that cannot be true/],
    ['another limit',                                  courseWhere('first-time', 2001, { fields: { ...numbers, 'x-ratelimit-limit': '10' } }), /^numbers that cannot be true/],
    ['as much left as before',                         courseWhere('first-time', 2001, { fields: { ...numbers, 'x-ratelimit-remaining': '20' } }), /^numbers that cannot be true/],
    ['a reset beyond the window',                      courseWhere('first-time', 2001, { fields: { ...numbers, 'x-ratelimit-reset': '3601' } }), /^numbers that cannot be true/],
    ['a wait of 151 ms',                               courseWhere('busy', 3000, { waitMs: 151 }),                               /^waited longer than 150 ms, 151 ms at worst: 1 requests, the first busy at server 0, 1000 ms into the trouble/],
    ['a first-time caller refused',                    courseWith([refused('first-time', 3001)]),                                /^refused a first-time caller/],
    ['a wrong refusal in the trouble',                 refusedAt(3000),                                                          /^refused although there was room: \d+ requests, the first busy/],
    ['an exhausted caller admitted in the trouble',    courseWith([asked('exhausted', 3001)]),                                   /^admitted an exhausted caller/],
    ['an exhausted caller admitted after it',          courseWith([asked('exhausted', 11_001)]),                                 /^admitted an exhausted caller/],
    ['the same in the trouble, before Redis forgets',  courseWith([asked('exhausted', 3001)], 'local', { forgets: true }),       /^admitted an exhausted caller/],
    ["an exhausted caller admitted under 'deny'",      courseWith([asked('exhausted', 4001)], 'deny', threeLimits),              /^admitted an exhausted caller/],
    ['more than two limits in an hour',                courseWith(row(21, 'hoarding', 3000)),                                    /^admitted 2.05 limits in a window, at most 2: hoarding 41 times, the last 1020 ms into the trouble$/],
    ["more than one limit in an hour under 'deny'",    courseWith(row(1, 'hoarding', 3000), 'deny'),                             /^admitted 1.05 limits in a window, at most 1/],
    ['more than two limits in a second',               courseWith(row(11, 'busy', 2501)),                                        /^admitted 2.1 limits in a window, at most 2/],
    ['eleven in a second before the trouble',          courseWith([asked('busy', 1501)]),                                        /^not exact before the trouble: \d+ times, the first 499 ms before the trouble: 11 of 10 admitted$/],
    ['eleven in a second five seconds after it',       courseWith([asked('busy', 9501)]),                                        /^not exact 5000 ms after the trouble: \d+ times, the first 5501 ms after its end: 11 of 10 admitted$/],
    ['a wrong refusal five seconds after it',          { ...refusedAt(10_000), ...anyRefusals }, /^not exact 5000 ms after the trouble: \d+ times, the first 6500 ms after its end: 429 for/],
    ['the fallback five seconds after it',             courseWith([asked('first-time', 9001, { text: 'fallback' })]),            /^not exact 5000 ms after the trouble: 1 times, .*: 200 fallback$/],
    ['the fallback where nothing may be seen',         course('local', { sees: 'nothing' }),                                     /^not exact: 1 times, the first 1 ms into the trouble/],
    ['no trouble to be seen',                          seenByNobody,                                                             /^no request has met the trouble/],
    ['decisions that a server does not count',         course('local', { healths: [{ ...ok, fallbackDecisions: 0 }, ok] }),      /^server 0 counts 0 decisions without Redis, and its callers met 1$/],
    ['a server that stays down',                       course('local', { healths: [ok, { ...ok, status: 'down' }] }),            /^server 1 says "down" at the end$/],
    ['a server that does not end',                     course('local', { ends: [undefined, { what: 'a server had not ended', late: true }] }),         /^a server had not ended$/],
    ['more than one in fifty requests 101 ms late', late(40, 101),                                                             /^no steady load: \d+ of \d+ requests were sent more than 100 ms late; a process waited/],
    ['ten slow ones that had no core',                 courseWith(slowOnes(10, 900)),                                            /^no steady load: 10 of \d+ requests waited for a core; a process waited for a core for up to 20 ms, one server took up to 10 % of a core, all took 15 % of all$/],
    ['a slow one that would be so with a core',        courseWith(slowOnes(1, 849)),                                             /^waited longer than 150 ms, 1000 ms at worst: 1 requests/],
    ['no requests',                                    course('local', { exchanges: [] }),                                       /^no steady load: 0 of 0 requests/],
  ])('with %s has this one finding', (_what, made, found) => {
    expect(judge(made).findings).toEqual([expect.stringMatching(found)])
  })
})

describe('on a machine without a core for a process for 101 ms, a trial', () => {
  // biome-ignore format: a table
  it.each<[string, Course, RegExp]>([
    // with                                            what                                        was not judged because
    ['requests that were late for want of a core',     late(40, 101),                           /^this machine had no core for a process for 101 ms; no steady load: \d+ of \d+ requests were sent/],
    ['ten slow ones that had no core',                 courseWith(slowOnes(10, 900)),              /; no steady load: 10 of \d+ requests waited for a core/],
    ['no requests',                                    course('local', { exchanges: [] }),         /; no steady load: 0 of 0/],
    ['a slow one that would be so with a core',        courseWith(slowOnes(1, 849)),               /; waited longer than 150 ms/],
    ['eleven in a second before the trouble',          courseWith([asked('busy', 1501)]),          /; not exact before the trouble/],
    ['no answer',                                      courseWith([asked('busy', 1999, { status: 0, text: 'ECONNRESET' })]), /; wrong status: 1 requests/],
    ['a server that ends late',                        course('local', { ends: [{ what: 'a server had not ended', late: true }] }), /; a server had not ended$/],
  ])('with %s is not judged', (_what, made, because) => {
    const { notJudged, findings } = judge(stalled(made))
    expect({ notJudged, findings }).toEqual({ notJudged: expect.stringMatching(because), findings: [] })
  })

  it('is not judged after half of that either, where requests have met the deadline and then waited for a core', () => {
    const { notJudged } = judge(stalled(courseWith(slowOnes(10, 900)), { longestStallMs: 51 }))
    expect(notJudged).toMatch(/^this machine had no core for a process for 51 ms; no steady load: 10 of/)
  })

  it('is not judged after half of that either, where a check has missed its deadline', () => {
    const fallback = asked('first-time', 9001, { text: 'fallback' })
    const { notJudged } = judge(stalled(courseWith([fallback]), { longestStallMs: 51 }))
    expect(notJudged).toMatch(/^this machine had no core for a process for 51 ms; not exact 5000 ms after/)
  })

  it('in which all is well is judged so', () => {
    expect(judge(stalled(course()))).toMatchObject({ notJudged: undefined, findings: [] })
  })

  // biome-ignore format: a table
  it.each<[string, Course, RegExp]>([
    // with                                            what                                                                                is found
    ['an error of a server',                           stalled(courseWith([asked('exhausted', 2500, { status: 500, text: 'oops' })])),     /^wrong status: 1 requests/],
    ['an error of a server, without a steady load',    stalled(courseWith([...slowOnes(10, 900), asked('exhausted', 2500, { status: 500, text: 'oops' })])), /^wrong status: 1 requests/],
    ['a server that ended by itself',                  stalled(course('local', { ends: [{ what: 'a server ended before it was asked to', late: false }] })), /^a server ended before/],
    ['a stall that is none',                           stalled(courseWith(slowOnes(10, 900)), { longestStallMs: 50 }),                     /^no steady load/],
    ['late requests, and a stall that is none',        stalled(late(40, 101), { longestStallMs: 100 }),                                    /^no steady load/],
    ['a wrong refusal, and a stall that is none',      stalled(courseWith([asked('busy', 1501)]), { longestStallMs: 100 }),                /^not exact before the trouble/],
    ['the fallback, and a stall that is none',          stalled(courseWith([asked('first-time', 9001, { text: 'fallback' })]), { longestStallMs: 50 }), /^not exact 5000 ms after/],
    ['the fallback and a wrong refusal, half a stall',  stalled({ ...courseWith([asked('busy', 1501), asked('first-time', 9001, { text: 'fallback' })]) }, { longestStallMs: 100 }), /^not exact before the trouble/],
    ['a server that takes more than half a core',      stalled(courseWith(slowOnes(10, 900)), { mostOfOne: 0.51 }),                        /^no steady load.* one server took up to 51 % of a core/],
    ['servers that take more than half of all cores',  stalled(courseWith(slowOnes(10, 900)), { mostOfAll: 0.51 }),                        /^no steady load.* all took 51 % of all$/],
  ])('with %s fails all the same', (_what, made, found) => {
    const { notJudged, findings } = judge(made)
    expect({ notJudged, first: findings[0] }).toEqual({
      notJudged: undefined,
      first: expect.stringMatching(found),
    })
  })
})

describe('a trial that is run again', () => {
  const figures = judge(course()).figures
  const wrong = { notJudged: undefined, findings: ['wrong'], figures }
  const well = { notJudged: undefined, findings: [], figures }
  const open = { notJudged: 'no core', findings: [], figures }

  it('keeps what was judged, right or wrong, and takes the last run for the rest', () => {
    const judged = new Judged()
    judged.add(
      new Map<Framework, Judgement>([
        ['express', wrong],
        ['fastify', well],
        ['koa', open],
      ]),
    )
    expect(judged.all).toBe(false)
    judged.add(
      new Map<Framework, Judgement>([
        ['express', well],
        ['fastify', wrong],
        ['koa', well],
      ]),
    )
    expect(judged.all).toBe(true)
    expect([...judged.judgements]).toEqual([
      ['express', wrong],
      ['fastify', well],
      ['koa', well],
    ])
  })
})

describe('figures', () => {
  it('say the longest wait, the most limits that a key got, and when the last slip was', () => {
    const more = [asked('busy', 5001, { waitMs: 77 }), ...row(10, 'hoarding', 3000)]
    const slip = asked('first-time', 5500, { text: 'fallback' })
    expect(judge(courseWith([...more, slip])).figures).toEqual({
      longestWaitMs: 77,
      limits: 1.5,
      exactAfterMs: 1500,
    })
  })
})
