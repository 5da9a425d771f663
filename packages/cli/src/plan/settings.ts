import { optionError, partsOf } from '@sluice/core/internal'
import { policyFrom } from '@sluice/core/strategies'
import { asUsage } from '../compare/as-usage.ts'
import { type PolicyData, policyData } from '../compare/policy-text.ts'
import { UsageError } from '../exit-code.ts'
import { figures } from './figures.ts'
import { isOwnDebt, kindOf } from './figures-read.ts'
import type { Given, GivenPolicy } from './plan.ts'
import {
  readAmount,
  readBytes,
  readCount,
  readNetwork,
  readPrice,
  readRate,
  readShare,
} from './quantities.ts'

/** The command line as parsed by commander. */
export interface Flags {
  readonly users: string
  readonly rate: string
  readonly policy: readonly string[]
  readonly active: string
  readonly peak: string
  readonly full?: true
  readonly clients: string
  readonly keyLength: string
  readonly regions: string
  readonly replicas: string
  readonly shardMemory: string
  readonly shardOps?: string
  readonly shardNetwork?: string
  readonly headroom: string
  readonly serverUs?: string
  readonly price: readonly string[]
  readonly json?: true
}

const mostUsers = 1e12

/** Throws a UsageError for an invalid command line. */
export function readSettings(flags: Flags): Given {
  if (flags.policy.length === 0)
    throw new UsageError('nothing to plan: give a policy of each user, as in --policy gcra:100/1m')
  if (new Set(flags.policy).size < flags.policy.length)
    throw new UsageError('each policy may be given only once')
  const { shardOps, shardNetwork, serverUs } = flags
  return {
    users: asUsage(`--users ${flags.users}`, () => readCount(flags.users, 'users', 1, mostUsers)),
    active: read('active', flags.active, (text, path) =>
      readShare(
        text,
        path,
        (share) => share > 0 && share <= 1,
        'a percentage above 0, at most 100%, such as 10%',
      ),
    ),
    rate: read('rate', flags.rate, readRate),
    peak: read('peak', flags.peak, (text, path) => {
      const peak = readAmount(text, path, '3')
      if (peak < 1) throw optionError(path, 'at least 1, which is the mean', text)
      return peak
    }),
    policies: flags.policy.map((text) => asUsage(`--policy ${text}`, () => readPolicy(text))),
    full: flags.full === true,
    clients: read('clients', flags.clients, (text, path) => readCount(text, path, 1, mostUsers)),
    keyLength: read('key-length', flags.keyLength, (text, path) => readCount(text, path, 1, 200)),
    regions: read('regions', flags.regions, (text, path) => readCount(text, path, 1, 1000)),
    replicas: read('replicas', flags.replicas, (text, path) => readCount(text, path, 0, 10)),
    shardMemory: read('shard-memory', flags.shardMemory, readBytes),
    shardOps: readIf('shard-ops', shardOps, (text, path) => readAmount(text, path, '60000')),
    shardNetwork: readIf('shard-network', shardNetwork, readNetwork),
    headroom: read('headroom', flags.headroom, (text, path) =>
      readShare(text, path, (share) => share >= 0 && share < 1, 'a percentage below 100%, such as 30%'),
    ),
    serverUs: readIf('server-us', serverUs, (text, path) => readAmount(text, path, '25')),
    prices: flags.price.map((text) => read('price', text, readPrice)),
  }
}

function read<T>(option: string, text: string, reader: (text: string, path: string) => T): T {
  return asUsage(`--${option} ${text}`, () => reader(text, option))
}

function readIf<T>(
  option: string,
  text: string | undefined,
  reader: (text: string, path: string) => T,
): T | undefined {
  return text === undefined ? undefined : read(option, text, reader)
}

/** Strategies that keep as many entries for an amount of 1 as it has units. */
const logs = ['slidingWindowLog', 'attributedWindow']
/** The default of `fairShare`. */
const usualClients = 100

function readPolicy(text: string): GivenPolicy {
  const data = policyData(text)
  const policy = policyFrom(data)
  const { strategy } = policy
  mustBeMeasured(data)
  const kind = kindOf(data)
  if (!Object.hasOwn(figures.calls, kind))
    throw optionError(
      'strategy',
      `one that was measured: ${Object.keys(figures.states)
        .filter((each) => !each.includes(' '))
        .join(', ')}`,
      strategy,
    )
  const { maxClients = usualClients } = data
  return { text, policy, kind, scale: partsOf(policy).scale, maxClients: Number(maxClients) }
}

function mustBeMeasured({ strategy, unit, maxDebt }: PolicyData): void {
  if (unit === undefined) return
  if (logs.includes(strategy))
    throw optionError(
      'unit',
      'to be left out of a log, as each unit is an entry, and many were not measured',
      unit,
    )
  if (maxDebt !== undefined && !isOwnDebt(strategy))
    throw optionError('unit', 'to be left out beside maxDebt, as states with both were not measured', unit)
}
