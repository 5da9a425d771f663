import type { CallCost } from './figures-read.ts'
import type { Given, Keys, Plan } from './plan.ts'
import { bytes, counted, number, perSecond, share } from './words.ts'

/** One line of a plan: its name, its arithmetic, and the result. */
interface Line {
  readonly name: string
  readonly formula: string
  readonly value: string
}

export interface Part {
  readonly title: string
  readonly lines: readonly Line[]
}

const line = (name: string, formula: string, value: string): Line => ({ name, formula, value })

/** A plan, with its arithmetic. */
export function partsOf(given: Given, plan: Plan): readonly Part[] {
  return [
    { title: 'requests', lines: requestLines(given, plan) },
    { title: 'one request', lines: callLines(given, plan) },
    ...plan.region.keys.map((keys) => ({ title: keys.text, lines: keyLines(given, plan, keys) })),
    { title: given.regions === 1 ? 'shards' : 'shards of a region', lines: shardLines(given, plan) },
    { title: given.regions === 1 ? 'all shards' : 'all regions', lines: allLines(given, plan) },
  ]
}

function requestLines(given: Given, { activeUsers, meanPerSecond, peakPerSecond, region }: Plan): Line[] {
  const { users, active, rate, peak, regions } = given
  return [
    line('active users', `${number(users)} users × ${share(active)}`, number(activeUsers)),
    line(
      'mean',
      `${number(activeUsers)} × ${number(rate.amount)} / ${number(rate.seconds)} s`,
      perSecond(meanPerSecond),
    ),
    line('peak', `${perSecond(meanPerSecond)} × ${number(peak)}`, perSecond(peakPerSecond)),
    ...(regions === 1
      ? []
      : [
          line(
            'users of a region',
            `${number(activeUsers)} / ${counted(regions, 'region')}`,
            number(region.users),
          ),
          line(
            'peak of a region',
            `${perSecond(peakPerSecond)} / ${counted(regions, 'region')}`,
            perSecond(region.requestsPerSecond),
          ),
        ]),
  ]
}

function callLines(given: Given, { request, region }: Plan): Line[] {
  const { us, question, answer, replica } = request
  const names = region.keys.map(({ kind }) => kind)
  return [
    line(
      'server time',
      given.serverUs === undefined ? costWords(us, names) : '--server-us',
      `${number(us.sum)} µs`,
    ),
    line('question', costWords(question, names), bytes(question.sum)),
    line('answer', costWords(answer, names), bytes(answer.sum)),
    ...(given.replicas === 0 ? [] : [line('to a replica', costWords(replica, names), bytes(replica.sum))]),
  ]
}

/** `30.7 call + 7 gcra` */
function costWords({ base, added }: CallCost, names: readonly string[]): string {
  const each = added.map((value, i) => `${number(value)} ${names[i]}`)
  return [...(base === 0 ? [] : [`${number(base)} call`]), ...each].join(' + ')
}

function keyLines({ full, clients }: Given, { region }: Plan, keys: Keys): Line[] {
  const { lifeSeconds, count, unit, units, mostUnits } = keys
  const arrived = `${perSecond(region.requestsPerSecond)} × ${number(lifeSeconds)} s`
  const perKey = full
    ? `the most: ${number(mostUnits)}`
    : `${arrived} / ${number(count)} keys, from 1 to ${number(mostUnits)}`
  const more = keys.clusterBytes === 0 ? '' : ` + ${keys.clusterBytes} cluster`
  const shared = unit === 'clients' ? ` / ${counted(Math.min(clients, region.users), 'client')}` : ''
  const users = `${number(region.users)} users${shared}`
  const every = unit === 'clients' ? users : 'every active user'
  const state = unit === null ? 'state' : `state of ${number(units)}`
  return [
    line('keys', full ? every : `least of ${users}, ${arrived}`, number(count)),
    ...(unit === null ? [] : [line(`${unit} in a key`, perKey, number(units))]),
    line(
      'a key',
      `${keys.nameBytes} name + ${number(keys.stateBytes)} ${state}${more}`,
      `${number(keys.bytes)} B`,
    ),
    line('memory', `${number(count)} keys × ${number(keys.bytes)} B`, bytes(count * keys.bytes)),
  ]
}

function shardLines(given: Given, { request, region }: Plan): Line[] {
  const { headroom, shardMemory, shardOps, shardNetwork, replicas } = given
  const { shardsFor, shards, requestsPerSecond } = region
  const free = `(1 − ${share(headroom)})`
  const rate = perSecond(requestsPerSecond)
  const copies = replicas === 0 ? '' : ` + ${replicas} × ${bytes(request.replica.sum)}`
  const network = `${rate} × (${bytes(request.question.sum)} + ${bytes(request.answer.sum)}${copies})`
  const slots = region.tableBytesOfShard / 24
  return [
    line(
      'memory of keys',
      region.keys.map(({ count, bytes: each }) => bytes(count * each)).join(' + '),
      bytes(region.keyBytes),
    ),
    line(
      'tables of a shard',
      `2 tables × 8 B × 1.5 × ${number(slots)} slots, for ${number(region.keyCount / shards)} keys`,
      bytes(region.tableBytesOfShard),
    ),
    line(
      'memory of a shard',
      `${bytes(region.keyBytes)} / ${counted(shards, 'shard')} + ${bytes(region.tableBytesOfShard)}`,
      bytes(region.memoryOfShard),
    ),
    line('cores', `${rate} × ${number(request.us.sum)} µs`, counted(region.cores, 'core')),
    line('network', network, `${bytes(region.networkBytesPerSecond)}/s`),
    line(
      'for memory',
      `the fewest that hold keys and tables in ${bytes(shardMemory)} × ${free}`,
      number(shardsFor.memory),
    ),
    line(
      'for operations',
      shardOps === undefined
        ? `${number(region.cores)} cores / ${free}`
        : `${rate} / (${perSecond(shardOps)} × ${free})`,
      number(shardsFor.operations),
    ),
    ...(shardsFor.network === null
      ? []
      : [
          line(
            'for network',
            `${bytes(region.networkBytesPerSecond)}/s / (${bytes(shardNetwork ?? 0)}/s × ${free})`,
            number(shardsFor.network),
          ),
        ]),
    line('shards', 'the most of these', number(shards)),
  ]
}

function allLines(given: Given, plan: Plan): Line[] {
  const { regions, replicas, shardMemory, prices } = given
  const { region, shards, nodes, memoryBytes, provisionedBytes, costPerHour } = plan
  const copies = `(1 + ${counted(replicas, 'replica')})`
  const where = regions === 1 ? '' : ` × ${counted(regions, 'region')}`
  const lines = [
    ...(regions === 1 ? [] : [line('shards', `${number(region.shards)}${where}`, number(shards))]),
    line('nodes', `${counted(region.shards, 'shard')} × ${copies}${where}`, number(nodes)),
    line('memory in use', `${counted(nodes, 'node')} × ${bytes(region.memoryOfShard)}`, bytes(memoryBytes)),
    line('memory in all', `${counted(nodes, 'node')} × ${bytes(shardMemory)}`, bytes(provisionedBytes)),
  ]
  if (costPerHour === null) return lines
  const parts = prices.map(({ amount, per }) =>
    per === 'node-hour'
      ? `${counted(nodes, 'node')} × ${amount}`
      : `${number(provisionedBytes / 1e9)} GB × ${amount}`,
  )
  return [
    ...lines,
    line('cost of an hour', parts.join(' + '), number(costPerHour)),
    line('cost of a month', `${number(costPerHour)} × 730 h`, number(costPerHour * 730)),
  ]
}
