import { oneOf, optionError } from '@sluice/core/internal'
import { daily, steady, type Traffic, underAttack, withBursts } from './kinds.ts'
import { type TrafficKind, trafficKinds, trafficNumbers } from './settings.ts'

const maxRequests = 1e8
const kinds = Object.keys(trafficKinds) as readonly TrafficKind[] // its keys are its kinds

/**
 * Reads `--traffic`: a kind, and settings that differ from its defaults.
 *
 * @example trafficOf('attack:rate=50,clients=20,attackers=2,duration=5m')
 */
export function trafficOf(text: string): Traffic {
  const [, name = '', rest = ''] = /^([^:]*):?(.*)$/s.exec(text) ?? []
  const given = Object.fromEntries(rest === '' ? [] : rest.split(',').map(assignment))
  const traffic = trafficOfKind(oneOf(name, 'traffic', kinds), given)
  if (traffic.expected <= maxRequests) return traffic
  throw optionError('traffic', `at most ${maxRequests} requests`, Math.round(traffic.expected))
}

function trafficOfKind(kind: TrafficKind, given: Readonly<Record<string, string>>): Traffic {
  switch (kind) {
    case 'poisson':
      return steady(trafficNumbers(kind, given))
    case 'bursts':
      return withBursts(trafficNumbers(kind, given))
    case 'daily':
      return daily(trafficNumbers(kind, given))
    case 'attack':
      return underAttack(trafficNumbers(kind, given))
  }
}

function assignment(text: string): readonly [string, string] {
  const [, name, value] = /^(\w+)=(.+)$/.exec(text.trim()) ?? []
  if (name !== undefined && value !== undefined) return [name, value]
  throw optionError('traffic', 'settings such as rate=50,clients=20', text)
}
