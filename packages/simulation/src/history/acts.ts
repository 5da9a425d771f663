import type { Change } from '@sluice/core'
import type { Sent } from '../link/stream.ts'
import { readAdjust, readManage } from '../server/corrections.ts'
import type { KnownPolicies } from '../server/policies.ts'
import type { ActRecord } from './record.ts'

/** The changes by hand that a call has made on the server, and what it has given back. */
export function actsOf(
  process: number,
  { sent, ranUs }: { sent: Sent; ranUs: number },
  policies: KnownPolicies,
): readonly ActRecord[] {
  const { command, ran } = sent
  if (command.name !== 'script' || ran === undefined) return []
  const { kind } = command.script
  if (kind === 'adjust') {
    return readAdjust(command.words, policies).map(({ change, own }) => {
      const { check, byUnits, atLeastUs } = change
      const act = actOf(change, own)
      return { act, process, ranUs, key: check.key, amount: atLeastUs ?? Math.abs(byUnits), own }
    })
  }
  if (kind !== 'manage') return []
  const { op, check, us = 0, units = 0 } = readManage(command.words, policies).command
  return [{ act: op, process, ranUs, key: check.key, amount: us + units, own: '' }]
}

function actOf({ byUnits, reward, atLeastUs }: Change, own: string): ActRecord['act'] {
  if (atLeastUs !== undefined) return 'raise'
  if (byUnits > 0) return own === '' ? 'penalize' : 'more'
  return reward === true ? 'reward' : 'give'
}
