import { describe, expect, it } from '@jest/globals'
import type { Arrival } from '../../../src/compare/traffic/arrivals.ts'
import { trafficHelp } from '../../../src/compare/traffic/help.ts'
import { trafficOf } from '../../../src/compare/traffic/traffic.ts'

function arrivals(text: string): readonly Arrival[] {
  return [...trafficOf(text).arrivals()]
}

function times(text: string): readonly number[] {
  return arrivals(text).map(({ atUs }) => atUs)
}

const kinds = ['poisson', 'bursts', 'daily:rate=2,duration=6h', 'attack'] as const

describe.each(kinds)('made-up traffic: %s', (text) => {
  const { durationUs, expected } = trafficOf(text)

  it('comes in the order of its times, within its duration', () => {
    const instants = times(text)
    expect(instants).toEqual([...instants].sort((a, b) => a - b))
    expect(instants[0]).toBeGreaterThanOrEqual(0)
    expect(instants.at(-1)).toBeLessThan(durationUs)
    expect(instants.every(Number.isInteger)).toBe(true)
  })

  it('is as much as it says, give or take four standard deviations', () => {
    expect(Math.abs(times(text).length - expected)).toBeLessThan(4 * Math.sqrt(expected))
  })

  it('is the same from the same seed and another from another', () => {
    const seeded = (seed: number) => times(`${text}${text.includes(':') ? ',' : ':'}seed=${seed}`)
    expect(seeded(7)).toEqual(seeded(7))
    expect(seeded(7)).not.toEqual(seeded(8))
  })
})

it('has gaps that are exponential', () => {
  const rate = 100
  const instants = times('poisson:rate=100,duration=2m')
  const gaps = instants.map((atUs, i) => (atUs - (instants[i - 1] ?? 0)) / 1e6).sort((a, b) => a - b)
  // Kolmogorov and Smirnov: further from the true distribution than 1.63/√n is one run in a hundred.
  const distance = gaps.map((gap, i) => Math.abs(1 - Math.exp(-rate * gap) - (i + 0.5) / gaps.length))
  expect(Math.max(...distance)).toBeLessThan(1.63 / Math.sqrt(gaps.length))
})

// biome-ignore format: a table
it.each([
  // zipf   share of the first of four clients
  [   0,    1 / 4                                ],
  [   1,    1 / (1 + 1 / 2 + 1 / 3 + 1 / 4)      ],
  [   2,    1 / (1 + 1 / 4 + 1 / 9 + 1 / 16)     ],
])('draws clients by their places: zipf %d', (zipf, share) => {
  const drawn = arrivals(`poisson:rate=100,duration=200s,clients=4,zipf=${zipf}`)
  const first = drawn.filter(({ client }) => client === 'client-1').length / drawn.length
  expect(Math.abs(first - share)).toBeLessThan(4 * Math.sqrt((share * (1 - share)) / drawn.length))
})

it('has bursts of one client each, at equal distances', () => {
  const all = arrivals('bursts:rate=0.001,duration=5m,size=50,every=2m,spread=1s')
  const bursts = [60, 180].map((s) => all.filter(({ atUs }) => atUs >= s * 1e6 && atUs < (s + 1) * 1e6))
  expect(bursts.map((burst) => burst.length)).toEqual([50, 50])
  expect(bursts.map((burst) => new Set(burst.map(({ client }) => client)).size)).toEqual([1, 1])
  expect(bursts[0]?.map(({ atUs }) => atUs).slice(0, 3)).toEqual([60e6, 60.02e6, 60.04e6])
})

it('has bursts at one instant, too', () => {
  const burst = arrivals('bursts:rate=0.001,duration=1m,size=20,spread=0s').filter(
    ({ atUs }) => atUs === 30e6,
  )
  expect(burst).toHaveLength(20)
})

it('has attackers from the first second on, too', () => {
  const [first] = arrivals('attack:rate=0.001,attack=100,duration=1m,from=0,to=1s')
  expect(first?.atUs).toBeLessThan(1e6)
})

it('has a day with a peak and a night', () => {
  const instants = times('daily:rate=5,swing=0.5,peak=14h')
  const hourly = (hour: number) => instants.filter((atUs) => Math.floor(atUs / 3600e6) === hour).length
  // The mean of 1 + cos/2 over the hour around the peak, and over the one opposite.
  const edge = (Math.sin(Math.PI / 12) / (Math.PI / 12)) * 0.5
  expect(Math.abs((hourly(13) + hourly(14)) / 2 - 18_000 * (1 + edge))).toBeLessThan(500)
  expect(Math.abs((hourly(1) + hourly(2)) / 2 - 18_000 * (1 - edge))).toBeLessThan(300)
})

it('has attackers for a while', () => {
  const all = arrivals('attack:rate=5,clients=10,attackers=2,attack=30,duration=10m,from=1m,to=3m')
  const attacks = all.filter(({ client }) => client.startsWith('attacker-'))
  expect(new Set(attacks.map(({ client }) => client))).toEqual(new Set(['attacker-1', 'attacker-2']))
  expect(attacks[0]?.atUs).toBeGreaterThanOrEqual(60e6)
  expect(attacks.at(-1)?.atUs).toBeLessThan(180e6)
  expect(Math.abs(attacks.length - 30 * 2 * 120)).toBeLessThan(4 * Math.sqrt(7200))
  expect(all.length - attacks.length).toBe(times('poisson:rate=5,clients=10').length)
})

// biome-ignore format: a table
it.each([
  ['poison',                       'traffic: expected "poisson" or "bursts" or "daily" or "attack" (did you mean "poisson"?), got "poison" (string)'],
  ['poisson:rate=0',               'traffic.rate: expected requests per second, above 0 and at most 1000000, got "0" (string)'],
  ['poisson:rate=fast',            'traffic.rate: expected requests per second, above 0 and at most 1000000, got "fast" (string)'],
  ['poisson:clients=1.5',          'traffic.clients: expected a whole number from 1 to 1000000, got 1.5 (number)'],
  ['poisson:clients=many',         'traffic.clients: expected a whole number from 1 to 1000000, got "many" (string)'],
  ['poisson:zipf=-1',              'traffic.zipf: expected a number from 0 to 5, got "-1" (string)'],
  ['poisson:duration=10',          'traffic.duration: expected a positive duration such as "10s" (ms, s, m, h, d) or 10000, of whole microseconds, from 1 ms to 366 days, got "10" (string)'],
  ['poisson:rate',                 'traffic: expected settings such as rate=50,clients=20, got "rate" (string)'],
  ['poisson:size=5',               'traffic.size: expected a known option (one of rate, clients, zipf, duration, seed), got "size" (string)'],
  ['daily:swing=2',                'traffic.swing: expected a number from 0 to 1, got "2" (string)'],
  ['attack:from=5m,to=2m',         'traffic.to: expected a time after traffic.from and within the duration, got "2 min" (string)'],
  ['attack:duration=1m,to=2m',     'traffic.to: expected a time after traffic.from and within the duration, got "2 min" (string)'],
  ['poisson:rate=1e6,duration=1h', 'traffic: expected at most 100000000 requests, got 3600000000 (number)'],
])('refuses what makes no sense: %s', (text, message) => {
  expect(() => trafficOf(text)).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', message }))
})

it('lists in its help every setting once, with its default', () => {
  const help = trafficHelp()
  const settings = [...help.matchAll(/^ {4}(\w+) .*\((.+)\)$/gm)].map(([, name]) => name)
  expect(settings).toEqual(
    'rate clients zipf duration seed size every spread duration swing peak attackers attack from to'.split(
      ' ',
    ),
  )
})
