import {
  attributedWindow,
  concurrency,
  type Duration,
  fairShare,
  fixedWindow,
  gcra,
  leakyBucket,
  multiWindow,
  type Policies,
  reservable,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
  uniform,
} from '@sluice/core'

export interface Attraction {
  /** Used in its address and as its limiter's name. */
  readonly id: string
  readonly name: string
  readonly strategy: string
  readonly rule: string
  /** `attraction` counts all tickets together, `visitor` the purchases of each visitor. */
  readonly policies: Policies
  /** How long a visitor stays, if a ticket takes a place inside. @default no place is taken */
  readonly visitMs?: number
  /** What a ticket costs. @default 1 */
  readonly price?: number
  /** An order of more tickets than are left gets those. */
  readonly inParts?: true
  /** How long an order waits for its turn; in a file of limits, whose strategies may change, none does. */
  readonly maxWait?: Duration
}

/** Each shows one strategy, most of them with about ten tickets per second. */
export const attractions: readonly Attraction[] = [
  {
    id: 'tiger',
    name: 'Tiger feeding',
    strategy: 'log + gate per visitor',
    rule: '100 in any 10 s, one per visitor every 10 s',
    policies: {
      visitor: uniform({ interval: '10s' }),
      attraction: slidingWindowLog({ limit: 100, window: '10s' }),
    },
  },
  {
    id: 'penguin',
    name: 'Penguin parade',
    strategy: 'fixed window',
    rule: '100 tickets per 10 s window',
    policies: { attraction: fixedWindow({ limit: 100, window: '10s' }) },
  },
  {
    id: 'owl',
    name: 'Owl night walk',
    strategy: 'sliding window counter',
    rule: 'about 100 tickets in 10 s',
    policies: { attraction: slidingWindowCounter({ limit: 100, window: '10s' }) },
  },
  {
    id: 'giraffe',
    name: 'Giraffe terrace',
    strategy: 'GCRA',
    rule: '10 tickets a second, burst of 20',
    policies: { attraction: gcra({ count: 10, period: '1s', burst: 20 }) },
  },
  {
    id: 'seal',
    name: 'Seal show',
    strategy: 'token bucket',
    rule: '50 tokens, refilled at 10 a second',
    policies: { attraction: tokenBucket({ capacity: 50, count: 10, period: '1s' }) },
  },
  {
    id: 'otter',
    name: 'Otter slide',
    strategy: 'leaky bucket',
    rule: 'room for 30, drains 10 a second',
    policies: { attraction: leakyBucket({ capacity: 30, count: 10, period: '1s' }) },
  },
  {
    id: 'elephant',
    name: 'Elephant bath',
    strategy: 'multi window',
    rule: '20 per 1 s, 100 per 10 s, 140 per 15 s',
    policies: {
      attraction: multiWindow({
        limits: [
          { limit: 20, window: '1s' },
          { limit: 100, window: '10s' },
          { limit: 140, window: '15s' },
        ],
      }),
    },
  },
  {
    id: 'lemur',
    name: 'Lemur island',
    strategy: 'attributed window',
    rule: '30 tickets per 10 s, each with a name',
    policies: { attraction: attributedWindow({ limit: 30, window: '10s' }) },
  },
  {
    id: 'aquarium',
    name: 'Aquarium tunnel',
    strategy: 'concurrency',
    rule: '12 visitors inside at once',
    policies: { attraction: concurrency({ limit: 12 }) },
    visitMs: 1000,
  },
  {
    id: 'flamingo',
    name: 'Flamingo pond',
    strategy: 'fair share',
    rule: '60 per 10 s, shared by all who ask',
    policies: { attraction: fairShare({ limit: 60, window: '10s' }) },
  },
  {
    id: 'sloth',
    name: 'Sloth tree',
    strategy: 'reservable window',
    rule: '10 per 1 s, orders wait up to 2 s',
    policies: { attraction: reservable(fixedWindow({ limit: 10, window: '1s' }), { maxDebt: '2s' }) },
    maxWait: '2s',
  },
  {
    id: 'parrot',
    name: 'Parrot flight',
    strategy: 'parts of an order',
    rule: '25 per 10 s, an order gets what is left',
    policies: { attraction: fixedWindow({ limit: 25, window: '10s' }) },
    inParts: true,
  },
  {
    id: 'hippo',
    name: 'Hippo breakfast',
    strategy: 'fractions',
    rule: '7.5 kg of hay per 10 s, 0.25 kg a ticket',
    policies: { attraction: fixedWindow({ limit: 7.5, window: '10s', unit: 0.01 }) },
    price: 0.25,
  },
  {
    id: 'turtle',
    name: 'Turtle hatching',
    strategy: 'calendar',
    rule: '500 a day from 09:00 in Vienna',
    policies: {
      attraction: fixedWindow({ limit: 500, every: 'day from 09:00', timeZone: 'Europe/Vienna' }),
    },
  },
]
