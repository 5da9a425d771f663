import { catalogue, optionError } from '@sluice/core/internal'
import { policyFrom } from '@sluice/core/strategies'
import { asUsage } from '../compare/as-usage.ts'
import { policyData } from '../compare/policy-text.ts'
import { UsageError } from '../exit-code.ts'
import { figures } from './figures.ts'
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

/** What gives a policy another state: callers who reserve, and amounts of fractions. Buckets and gcra have `maxDebt` anyway. */
const notMeasured = ['maxDebt', 'unit']

function readPolicy(text: string): GivenPolicy {
  const data = policyData(text)
  const policy = policyFrom(data)
  const { strategy } = policy
  if (strategy === 'fairShare')
    throw optionError(
      'strategy',
      'one whose keys are users (those of fairShare are what users share)',
      strategy,
    )
  for (const name of notMeasured) {
    const isOwn = catalogue.declaredStrategies.get(strategy)?.options[name] !== undefined
    if (data[name] !== undefined && !isOwn)
      throw optionError(name, 'to be left out, as states with it were not measured', data[name])
  }
  if (!Object.hasOwn(figures.states, strategy))
    throw optionError(
      'strategy',
      `one that was measured: ${Object.keys(figures.states).join(', ')}`,
      strategy,
    )
  return { text, policy }
}
