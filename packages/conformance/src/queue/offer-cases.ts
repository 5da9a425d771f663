import { expect } from '@jest/globals'
import type { Offer } from '@sluice/queue'
import type { QueueCase } from './case.ts'
import type { QueueUnderTest } from './under-test.ts'
import { done, fill, join, takeAll, work } from './working.ts'

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1)

function waitOf(offer: Offer): number {
  if (offer.allowed || offer.retryAfterMs === null) throw new Error('was given no wait')
  return offer.retryAfterMs
}

async function isBounded({ queue }: QueueUnderTest): Promise<void> {
  const offers = await Promise.all(upTo(12).map((i) => queue.offer(i)))
  expect(offers.filter(({ allowed }) => allowed)).toHaveLength(5)
  const refused = offers.filter(({ allowed }) => !allowed)
  expect(refused.map((offer) => !offer.allowed && offer.reason)).toEqual(Array(7).fill('full'))
  await work(join(queue), 2)
  const more = await Promise.all(upTo(4).map((i) => queue.offer(i)))
  expect(more.filter(({ allowed }) => allowed)).toHaveLength(2)
}

/** What runs is not done. */
async function countsWhatRuns({ queue }: QueueUnderTest): Promise<void> {
  await fill(queue, upTo(5))
  const member = join(queue)
  await takeAll(member, 3)
  expect(await queue.offer(6)).toMatchObject({ allowed: false, reason: 'full' })
  expect(await queue.health()).toMatchObject({ waiting: 2, running: 3 })
}

async function givesPlaces({ queue }: QueueUnderTest): Promise<void> {
  await fill(queue, upTo(3))
  const waits: number[] = []
  for (let i = 0; i < 5; i++) waits.push(waitOf(await queue.offer('one more')))
  const [first = 0, second = 0, third = 0, fourth = 0, fifth = 0] = waits
  // A gap apart, and asked a little later each; never further away than a whole queue.
  expect(first).toBeGreaterThan(0)
  expect(second).toBeGreaterThan(1.5 * first)
  expect(third).toBeGreaterThan(1.2 * second)
  for (const wait of [fourth, fifth]) expect(wait).toBeLessThan(1.3 * third)
}

async function keepsOrder({ queue }: QueueUnderTest): Promise<void> {
  const jobs = [{ order: 'first', at: [1, null] }, 'zwölf', 7, null, false]
  const tickets = await fill(queue, jobs)
  const taken = await takeAll(join(queue), 5)
  expect(taken.map(({ job }) => job)).toEqual(jobs)
  expect(taken.map(({ ticket }) => ticket)).toEqual(tickets)
  expect(taken.map(({ how, attempt }) => [how, attempt])).toEqual(Array(5).fill(['now', 1]))
}

/** Whatever the caller does to the job afterwards. */
async function keepsACopy({ queue }: QueueUnderTest): Promise<void> {
  const job = { visitor: 'bob', at: new Date(0) }
  await fill(queue, [job])
  job.visitor = 'mallory'
  const [taken] = await takeAll(join(queue), 1)
  expect(taken?.job).toEqual({ visitor: 'bob', at: '1970-01-01T00:00:00.000Z' })
}

async function positionsFall({ queue }: QueueUnderTest): Promise<void> {
  const offers = await Promise.all(upTo(6).map((i) => queue.offer(i)))
  const positions = offers.map((offer) => (offer.allowed ? offer.position : 0))
  expect(positions.toSorted((a, b) => a - b)).toEqual(upTo(6))
  const member = join(queue)
  for (let gone = 0; gone < 6; gone++) {
    for (const [i, offer] of offers.entries()) {
      const place = (positions[i] ?? 0) - gone
      if (!offer.allowed || place < 1) continue
      expect(await queue.status(offer.ticket)).toMatchObject({ state: 'waiting', position: place })
    }
    await work(member, 1)
  }
  expect(await queue.offer(7)).toMatchObject({ position: 1 })
}

/** What runs is not done, and is ahead. */
async function positionsCountWhatRuns({ queue }: QueueUnderTest): Promise<void> {
  const tickets = await fill(queue, upTo(4))
  const member = join(queue)
  const [first] = await takeAll(member, 2)
  const last = async () => queue.status(tickets[3] ?? '')
  expect(await last()).toMatchObject({ state: 'waiting', position: 4 })
  if (first !== undefined) await member.finish(first, done(null))
  expect(await last()).toMatchObject({ state: 'waiting', position: 3 })
}

async function estimates({ queue }: QueueUnderTest): Promise<void> {
  const [first = ''] = await fill(queue, upTo(4))
  expect(await queue.status(first)).toMatchObject({ waitMs: null })
  await work(join(queue), 3)
  const [last = ''] = await fill(queue, [5])
  expect(await queue.status(last)).toMatchObject({ position: 2, waitMs: expect.any(Number) })
}

async function isTooLarge({ queue }: QueueUnderTest): Promise<void> {
  // Two quotes, and two bytes for each é.
  const just = 'é'.repeat(49)
  expect(await queue.offer(`${just}a`)).toEqual({ allowed: false, reason: 'too-large', retryAfterMs: null })
  expect(await queue.health()).toMatchObject({ waiting: 0 })
  expect(await queue.offer(just)).toMatchObject({ allowed: true, position: 1 })
}

async function wantsJson({ queue }: QueueUnderTest): Promise<void> {
  const circle: { itself?: object } = {}
  circle.itself = circle
  for (const job of [undefined, () => 1, 7n, circle])
    await expect(queue.offer(job)).rejects.toMatchObject({ code: 'SLUICE_OPTION', path: 'job' })
  expect(await queue.health()).toMatchObject({ waiting: 0 })
}

/** 128 random bits: nothing in one reveals another, or how many there are. */
async function cannotBeGuessed({ queue }: QueueUnderTest): Promise<void> {
  const tickets = await fill(queue, upTo(200))
  expect(new Set(tickets).size).toBe(200)
  for (const ticket of tickets) expect(ticket).toMatch(/^[\w-]{22}$/)
  // Each of the first 21 characters takes on most of its 64 values; the last has two bits only.
  for (let i = 0; i < 21; i++) expect(new Set(tickets.map((ticket) => ticket[i])).size).toBeGreaterThan(40)
}

async function knowsNoOther({ queue }: QueueUnderTest): Promise<void> {
  await fill(queue, [1])
  const strange = ['', 'A'.repeat(22), '0', '1-1', '*', '__proto__', `${'x'.repeat(10_000)}`, '\n\0{}:é']
  for (const ticket of strange) expect(await queue.status(ticket)).toBeUndefined()
}

export const offerCases: readonly QueueCase[] = [
  { about: 'bound', title: 'accepts as many as its limit says', wanted: { limit: 5 }, run: isBounded },
  { about: 'bound', title: 'counts what runs', wanted: { limit: 5 }, run: countsWhatRuns },
  { about: 'bound', title: 'gives those refused successive places', wanted: { limit: 3 }, run: givesPlaces },
  { about: 'order', title: 'hands out in the order of arrival', wanted: { limit: 5 }, run: keepsOrder },
  { about: 'order', title: 'keeps jobs as they were offered', wanted: { limit: 5 }, run: keepsACopy },
  {
    about: 'positions',
    title: 'fall by one with each that is done',
    wanted: { limit: 9 },
    run: positionsFall,
  },
  { about: 'positions', title: 'count what runs', wanted: { limit: 9 }, run: positionsCountWhatRuns },
  { about: 'positions', title: 'state a wait once it was measured', wanted: { limit: 9 }, run: estimates },
  {
    about: 'jobs',
    title: 'are refused where too large',
    wanted: { limit: 5, maxJobBytes: 100 },
    run: isTooLarge,
  },
  { about: 'jobs', title: 'must have a JSON', wanted: { limit: 5 }, run: wantsJson },
  { about: 'tickets', title: 'cannot be guessed', wanted: { limit: 200 }, run: cannotBeGuessed },
  { about: 'tickets', title: 'that were never given are unknown', wanted: { limit: 5 }, run: knowsNoOther },
]
