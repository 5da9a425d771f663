import type { CountOption, DurationOption } from './options.ts'

export const limit: CountOption = {
  kind: 'count',
  about: 'Units per window.',
  scales: 'amount',
  example: 100,
}

export const window: DurationOption = {
  kind: 'duration',
  about: 'The span that the limit speaks of.',
  example: '10s',
}

export const count: CountOption = {
  kind: 'count',
  about: 'Units per period in the long run.',
  scales: 'amount',
  example: 100,
}

export const period: DurationOption = {
  kind: 'duration',
  about: 'The span in which `count` units come back.',
  example: '1m',
}

/** Of strategies with a rate. */
export const maxDebt: DurationOption = {
  kind: 'duration',
  about: 'How far `reserve` and `penalize` may reach beyond what a check can take.',
  zero: true,
  default: '1m',
}

/** Where each unit is an entry of its own. */
export const maxEntries = 100_000
