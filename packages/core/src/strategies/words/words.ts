import type { Numbers as AttributedNumbers } from '../attributedWindow.ts'
import { type Numbers as BucketNumbers, fullOf } from '../bucket-state.ts'
import type { Numbers as ConcurrencyNumbers } from '../concurrency.ts'
import type { FairNumbers } from '../fair-look.ts'
import type { Numbers as FixedNumbers } from '../fixedWindow.ts'
import type { Numbers as GcraNumbers } from '../gcra.ts'
import type { Numbers as MultiNumbers } from '../multiWindow.ts'
import { type Picture, rateWindow, rateWindowUs, rateWords, spanWords, windowPicture } from '../picture.ts'
import type { Numbers as CounterNumbers } from '../slidingWindowCounter.ts'
import type { Numbers as LogNumbers } from '../slidingWindowLog.ts'
import type { Numbers as UniformNumbers } from '../uniform.ts'

/** How a strategy is described: to editors, in tables, on pages and in reports. No limiter needs it, so no strategy carries it. */
export interface Words<Numbers> {
  /** One sentence about what it allows. */
  readonly about: string
  /** One sentence for each option. */
  readonly options: { readonly [name: string]: string }
  /** How its policies are described and drawn. */
  picture(numbers: Numbers): Picture
}

type Sentences = Words<never>['options']

const ofWindow: Sentences = {
  limit: 'Units per window; 0 refuses all.',
  window: 'The length of the window.',
}

const maxDebt = 'How far a charge may go beyond what a check can use.'

const ofBucket: Sentences = {
  capacity: 'The most that fits at once; 0 refuses all.',
  count: 'Units per period that become available again, continuously; 0 refuses all.',
  period: 'The time in which `count` units become available again.',
  maxDebt,
}

/** The sentence for `blockFor`, which all strategies have but those that count requests in flight. */
export const blockFor: string = 'How long a key that is refused stays refused, whatever its count.'

/** `before`: what the rule says before the capacity and before the rate. */
function bucketPicture(
  title: string,
  before: readonly [capacity: string, rate: string],
): (numbers: BucketNumbers) => Picture {
  return (numbers) => ({
    title,
    rule: `${before[0]} ${numbers.capacity}, ${before[1]} ${rateWords(numbers.flow / numbers.parts)}`,
    windowUs: rateWindow(fullOf(numbers) / numbers.flow),
    most: numbers.capacity,
    mostIn: (spanUs) => numbers.capacity + Math.floor((spanUs * numbers.flow) / numbers.parts),
    shape: 'none',
  })
}

/** What each strategy in the list makes of its options. */
interface NumbersOf {
  readonly attributedWindow: AttributedNumbers
  readonly concurrency: ConcurrencyNumbers
  readonly fairShare: FairNumbers
  readonly fixedWindow: FixedNumbers
  readonly gcra: GcraNumbers
  readonly leakyBucket: BucketNumbers
  readonly multiWindow: MultiNumbers
  readonly slidingWindowCounter: CounterNumbers
  readonly slidingWindowLog: LogNumbers
  readonly tokenBucket: BucketNumbers
  readonly uniform: UniformNumbers
}

/** The words of each strategy in the list. */
export const words: { readonly [Name in keyof NumbersOf]: Words<NumbersOf[Name]> } = {
  attributedWindow: {
    about: 'At most `limit` units per window, with a note for each.',
    options: { ...ofWindow, noteBytes: 'A longer note is cut to this many bytes.' },
    picture: ({ limit, windowUs }) =>
      windowPicture({ title: 'attributed window', shape: 'fixed', limit, windowUs }),
  },
  concurrency: {
    about: 'At most `limit` requests in flight at once.',
    options: {
      limit: 'Units in flight at once; 0 refuses all.',
      lease: 'How long a unit counts if it is neither released nor renewed.',
    },
    picture: ({ limit }) => ({
      title: 'concurrency',
      rule: `${limit} at once`,
      windowUs: rateWindowUs,
      most: limit,
      shape: 'in-flight',
    }),
  },
  fairShare: {
    about: 'At most `limit` units per window for all clients of a key together, each with its share.',
    options: {
      ...ofWindow,
      limit: 'Units per window for all clients together; 0 refuses all.',
      weight: 'How many shares a client has whose calls choose this policy.',
      maxClients: 'So many clients have a share of their own; all further ones have one together.',
      noteBytes: 'A longer name of a client is cut to this many bytes.',
    },
    picture: ({ limit, windowUs }) => windowPicture({ title: 'fair share', shape: 'fixed', limit, windowUs }),
  },
  fixedWindow: {
    about:
      'At most `limit` units per window, which starts at the first hit, by the clock or by the calendar.',
    options: {
      ...ofWindow,
      start:
        'Whether a window starts at a key’s first hit, or for all keys at multiples of its length since 1970 in UTC, so that `7d` starts on Thursdays.',
      every:
        'A window is a day, week, month, quarter or year of the calendar, from midnight on its first day or from where the text says.',
      timeZone: 'Whose clocks say when a window begins: a name of the IANA time zone database.',
      firstDayOfWeek: 'The first day of a week.',
    },
    picture({ limit, windowUs, calendar }) {
      const about = { title: 'fixed window', shape: 'fixed', limit } as const
      if (calendar === undefined) return windowPicture({ ...about, windowUs })
      const { every, timeZone, days } = calendar
      return {
        ...windowPicture({ ...about, windowUs: days * 86_400e6 }),
        rule: `${limit} a ${every} in ${timeZone}`,
      }
    },
  },
  gcra: {
    about: 'An average of `count` units per period, evenly spread, plus a burst.',
    options: {
      count: 'Units per period in the long run; 0 refuses all.',
      period: 'The time in which `count` units become available again.',
      burst: 'Units beyond the first that a fresh key may use at once.',
      maxDebt,
    },
    picture: ({ intervalUs, capacity, toleranceUs }) => ({
      title: 'GCRA',
      rule: `${rateWords(1 / intervalUs)}, burst ${capacity - 1}`,
      windowUs: rateWindow(toleranceUs),
      most: capacity,
      mostIn: (spanUs) => capacity + Math.floor(spanUs / intervalUs),
      shape: 'none',
    }),
  },
  leakyBucket: {
    about: 'A bucket of `capacity` units that drains `count` per period.',
    options: ofBucket,
    picture: bucketPicture('leaky bucket', ['room for', 'drain']),
  },
  multiWindow: {
    about: 'Several limits on one stream of requests, longer windows with higher limits.',
    options: {
      limits: 'Limits, longer windows with higher limits.',
      slot: 'Length of the counted slots: a window may refuse for up to one slot longer than an exact log.',
    },
    picture: ({ windows, longestUs }) => ({
      title: 'multi window',
      rule: windows.map(({ limit, windowUs }) => `${limit} / ${spanWords(windowUs)}`).join(', '),
      windowUs: longestUs,
      most: windows.at(-1)?.limit ?? 0,
      exact: true,
      shape: 'nested',
      windowsUs: windows.map(({ windowUs }) => windowUs),
    }),
  },
  slidingWindowCounter: {
    about: 'About `limit` units in any window, from two counters.',
    options: ofWindow,
    picture: ({ limit, windowUs }) =>
      windowPicture({ title: 'sliding window counter', shape: 'sliding', limit, windowUs }),
  },
  slidingWindowLog: {
    about: 'At most `limit` units in any window, exactly.',
    options: ofWindow,
    picture: ({ limit, windowUs }) => ({
      ...windowPicture({ title: 'sliding window log', shape: 'sliding', limit, windowUs }),
      exact: true,
    }),
  },
  tokenBucket: {
    about: 'A bucket of `capacity` tokens, refilled with `count` per period.',
    options: {
      ...ofBucket,
      start: 'Whether a new key’s bucket is full or empty; an empty one fills from its first request on.',
    },
    picture: bucketPicture('token bucket', ['holds', 'refill']),
  },
  uniform: {
    about: 'One request per interval.',
    options: { interval: 'How long the gate stays closed after each admitted request.', maxDebt },
    picture: ({ intervalUs }) => ({
      title: 'uniform gate',
      rule: `1 in ${spanWords(intervalUs)}`,
      windowUs: intervalUs,
      most: 1,
      exact: true,
      shape: 'none',
    }),
  },
}
