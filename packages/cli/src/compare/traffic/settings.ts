import { checkNames, durationUs, optionError, wholeNumber } from '@sluice/core/internal'

/** A value as written, or a fraction of the duration. */
export type Default = number | string | { readonly ofDuration: number; readonly words: string }

/** One setting of generated traffic: its meaning, its default, and how it is read. */
export interface Setting {
  readonly meaning: string
  readonly byDefault: Default
  readonly read: (value: unknown, path: string) => number
}

/** The settings of each kind of traffic. */
interface Names {
  poisson: CommonName
  bursts: CommonName | 'size' | 'every' | 'spread'
  daily: CommonName | 'swing' | 'peak'
  attack: CommonName | 'attackers' | 'attack' | 'from' | 'to'
}

type CommonName = 'rate' | 'clients' | 'zipf' | 'duration' | 'seed'

export type TrafficKind = keyof Names

/** The numbers of one kind; times are in µs. */
export type TrafficNumbers<K extends TrafficKind> = { readonly [name in Names[K]]: number }

const maxPerSecond = 1e6
const maxClients = 1e6

const common: Readonly<Record<CommonName, Setting>> = {
  rate: setting('requests per second of all clients together, on average', 10, positiveRate),
  clients: setting('how many clients send them', 100, whole(1, maxClients)),
  zipf: setting(
    'how unequal clients are: 0 all equal, 1 the tenth sends a tenth of the first',
    0,
    from(0, 5),
  ),
  duration: setting('how long it lasts', '10m', durationUs),
  seed: setting('a different seed gives different traffic of the same kind', 1, whole(0, 2 ** 32 - 1)),
}

/** Every kind of generated traffic with its settings. */
export const trafficKinds: {
  readonly [K in TrafficKind]: {
    readonly about: string
    readonly settings: Readonly<Record<Names[K], Setting>>
  }
} = {
  poisson: { about: 'independent requests at one rate', settings: common },
  bursts: {
    about: 'the same, but now and then one client sends many at once',
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
    about: 'a rate that rises and falls with the hour, like a cosine',
    settings: {
      ...common,
      duration: { ...common.duration, byDefault: '1d' },
      swing: setting(
        'how far the rate varies: 1 doubles it at the peak and stops it at night',
        0.8,
        from(0, 1),
      ),
      peak: setting('the busiest time, after midnight UTC', '14h', fromZero),
    },
  },
  attack: {
    about: 'well-behaved clients, with attackers among them for a while',
    settings: {
      ...common,
      attackers: setting('how many attackers there are', 3, whole(1, maxClients)),
      attack: setting('requests per second of each attacker', 20, positiveRate),
      from: setting('when they begin', { ofDuration: 1 / 3, words: 'a third of the duration' }, fromZero),
      to: setting('when they end', { ofDuration: 2 / 3, words: 'two thirds of it' }, durationUs),
    },
  },
}

/** Reads the settings of a kind: numbers and durations, or strings with them. */
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

/** Reads `5` and `"5"`, because on a command line everything is a string. */
function numberOf(value: unknown): unknown {
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : value
}

function whole(least: number, most: number): Setting['read'] {
  return (value, path) => {
    const number = numberOf(value)
    return wholeNumber(Number.isNaN(number) ? value : number, path, least, most)
  }
}

function from(least: number, most: number): Setting['read'] {
  return (value, path) => {
    const number = numberOf(value)
    if (typeof number === 'number' && number >= least && number <= most) return number
    throw optionError(path, `a number from ${least} to ${most}`, value)
  }
}

function positiveRate(value: unknown, path: string): number {
  const number = numberOf(value)
  if (typeof number === 'number' && number > 0 && number <= maxPerSecond) return number
  throw optionError(path, `requests per second, above 0 and at most ${maxPerSecond}`, value)
}

/** A duration that may be 0. */
function fromZero(value: unknown, path: string): number {
  return typeof value === 'string' && /^0+(?:ms|s|m|h|d)?$/.test(value) ? 0 : durationUs(value, path)
}
