import { everyCount } from '@sluice/conformance/every-strategy'
import type { Policy } from '../src/index.ts'

/** A policy of each strategy that lets two in at once (uniform: one) and the next after an hour at most. */
export const hourly: readonly Policy<'refund' | 'penalize' | 'reward'>[] = Object.values(everyCount(2, '1h'))
