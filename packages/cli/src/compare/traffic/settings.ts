import { checkNames, durationUs, optionError, wholeNumber } from '@sluice/core/internal'

/** A value as it is given, or a part of the duration. */
export type Default = number | string | { readonly ofDuration: number; readonly words: string }

/** One parameter of made-up traffic: how it is read, what it means, and what it is when left out. */
export interface Setting {
  readonly meaning: string
  readonly byDefault: Default
  readonly read: (value: unknown, path: string) => number
}

/** What each kind of traffic takes. */
interface Names {
  poisson: CommonName
  bursts: CommonName | 'size' | 'every' | 'spread'
  daily: CommonName | 'swing' | 'peak'
  attack: CommonName | 'attackers' | 'attack' | 'from' | 'to'
}

type CommonName = 'rate' | 'clients' | 'zipf' | 'duration' | 'seed'

export type TrafficKind = keyof Names

/** The numbers of one kind, times in µs. */
export type TrafficNumbers<K extends TrafficKind> = { readonly [name in Names[K]]: number }

const mostPerSecond = 1e6
const mostClients = 1e6

const common: Readonly<Record<CommonName, Setting>> = {
  rate: setting('requests per second of all clients together, on average', 10, positiveRate),
  clients: setting('how many clients send them', 100, whole(1, mostClients)),
  zipf: setting('how uneven clients are: 0 all alike, 1 the tenth sends a tenth of the first', 0, from(0, 5)),
  duration: setting('how long it lasts', '10m', durationUs),
  seed: setting('another seed is another run of the same kind', 1, whole(0, 2 ** 32 - 1)),
}

/** Every kind of made-up traffic with its parameters. */
export const trafficKinds: {
  readonly [K in TrafficKind]: {
    readonly about: string
    readonly settings: Readonly<Record<Names[K], Setting>>
  }
} = {
  poisson: { about: 'independent requests at one rate', settings: common },
  bursts: {
    about: 'the same, and again and again one client sends many at once',
    settings: {
      ...common,
      size: setting('requests in a burst', 100, whole(1, 1e6)),
      every: setting(
        'from the start of one burst to the next; the first starts at half of it',
        '1m',
        durationUs,
      ),
      spread: setting('how long a burst takes', '1s', fromZero),
    },
  },
  daily: {
    about: 'a rate that rises and falls with the hour, as a cosine',
    settings: {
      ...common,
      duration: { ...common.duration, byDefault: '1d' },
      swing: setting(
        'how far it leaves its mean: 1 doubles it at the peak, and stops at night',
        0.8,
        from(0, 1),
      ),
      peak: setting('the busiest time, after midnight UTC', '14h', fromZero),
    },
  },
  attack: {
    about: 'well-behaved clients, and for a while attackers among them',
    settings: {
      ...common,
      attackers: setting('how many attack, each on its own', 3, whole(1, mostClients)),
      attack: setting('requests per second of each attacker', 20, positiveRate),
      from: setting('when they begin', { ofDuration: 1 / 3, words: 'a third of the duration' }, fromZero),
      to: setting('when they end', { ofDuration: 2 / 3, words: 'two thirds of it' }, durationUs),
    },
  },
}

/** Reads the parameters of a kind: numbers and durations, or text that says them. */
export function trafficNumbers<K extends TrafficKind>(
  kind: K,
  given: Readonly<Record<string, unknown>>,
): TrafficNumbers<K> {
  const settings: Readonly<Record<string, Setting>> = trafficKinds[kind].settings
  checkNames(given, 'traffic', Object.keys(settings))
  const lastsUs = durationUs(given.duration ?? settings.duration?.byDefault, 'traffic.duration')
  const numbers: Record<string, number> = {}
  for (const [name, { read, byDefault }] of Object.entries(settings)) {
    numbers[name] =
      given[name] === undefined && typeof byDefault === 'object'
        ? Math.round(lastsUs * byDefault.ofDuration)
        : read(given[name] ?? byDefault, `traffic.${name}`)
  }
  return numbers as TrafficNumbers<K> // every setting of the kind has been read
}

function setting(meaning: string, byDefault: Default, read: Setting['read']): Setting {
  return { meaning, byDefault, read }
}

/** `5` and `"5"`: on a command line everything is text. */
function spoken(value: unknown): unknown {
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : value
}

function whole(least: number, most: number): Setting['read'] {
  return (value, path) => {
    const number = spoken(value)
    return wholeNumber(Number.isNaN(number) ? value : number, path, least, most)
  }
}

function from(least: number, most: number): Setting['read'] {
  return (value, path) => {
    const number = spoken(value)
    if (typeof number === 'number' && number >= least && number <= most) return number
    throw optionError(path, `a number from ${least} to ${most}`, value)
  }
}

function positiveRate(value: unknown, path: string): number {
  const number = spoken(value)
  if (typeof number === 'number' && number > 0 && number <= mostPerSecond) return number
  throw optionError(path, `requests per second, above 0 and at most ${mostPerSecond}`, value)
}

/** A duration, where none at all is one, too. */
function fromZero(value: unknown, path: string): number {
  return typeof value === 'string' && /^0+(?:ms|s|m|h|d)?$/.test(value) ? 0 : durationUs(value, path)
}
