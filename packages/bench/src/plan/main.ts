import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Redis } from 'ioredis'
import { pin } from '../cores.ts'
import { type Machine, machineOf } from '../machine.ts'
import { startRedis } from '../redis-server.ts'
import type { Spread } from '../rounds.ts'
import { charactersBesideKey, clusterBytes, nameBytes, stateBytes } from './bytes.ts'
import {
  cpuOfCalls,
  pairName,
  severalName,
  severalPolicies,
  severalWireName,
  sizedName,
  wireOfCalls,
} from './calls.ts'
import { fillPage } from './page.ts'
import { kindOf, longGcraDigits, longGcraSubjects, type Subject, subjects } from './subjects.ts'

// Measures what `sluice plan` computes with, writes it where the command finds it, and what that prints then into docs/plan.md.
// `--missing` measures what the file lacks: of times what they are beside that of gcra, as the file has it.

const command = 'npm run bench:plan'
const file = fileURLToPath(new URL('../../../cli/src/plan/figures.ts', import.meta.url))
const pace = { rounds: 41, turnMs: 60 }

/** The sockets of a server, and of one of a cluster. */
interface Place {
  readonly socket: string
  readonly clustered: string
}

type Measured = Awaited<ReturnType<typeof measured>>

async function measured({ socket, clustered }: Place, chosen: readonly Subject[]) {
  const client = new Redis(socket)
  const names = await nameBytes(client)
  const besideKey = await charactersBesideKey(client)
  const on = await placeOf(client)
  client.disconnect()
  const inCluster = await clusterBytes(socket, clustered)
  const states: { [strategy: string]: Awaited<ReturnType<typeof stateBytes>> } = {}
  for (const subject of chosen.filter(({ isStoredPlainly }) => isStoredPlainly !== true)) {
    process.stderr.write(`bytes of ${kindOf(subject)} …\n`)
    states[kindOf(subject)] = await stateBytes(socket, subject, names)
  }
  const longGcra: number[] = []
  for (const subject of longGcraSubjects) {
    const { bytes } = await stateBytes(socket, subject, names)
    longGcra.push((bytes[0] ?? 0) - (states.gcra?.bytes[0] ?? 0))
  }
  process.stderr.write('calls …\n')
  const wire = await wireOfCalls(socket, chosen)
  const cpu = await cpuOfCalls(socket, chosen, pace)
  return {
    on,
    names: { besideKey, ...names },
    clusterBytes: inCluster,
    states,
    longGcra: { upTo: longGcraDigits, bytes: longGcra },
    calls: Object.fromEntries(
      chosen.map((subject) => {
        const { cpuSizes } = subject
        const of = cpuSizes.map((size) => rounded(cpu[sizedName(subject, size)]))
        const kind = kindOf(subject)
        const beside = {
          withGcra: wire[pairName('gcra', kind)],
          withUniform: wire[pairName('uniform', kind)],
        }
        return [kind, { ...wire[sizedName(subject, 1)], ...beside, sizes: cpuSizes, cpuUs: of }]
      }),
    ),
    several: severalPolicies.map((count) => ({
      count,
      ...wire[severalWireName('gcra', count)],
      cpuUs: rounded(cpu[severalName(count)]),
    })),
    severalInGeneral: severalPolicies.map((count) => ({
      count,
      ...wire[severalWireName('uniform', count)],
    })),
  }
}

/** What the file has, and what it lacks. */
async function completed(place: Place): Promise<Pick<Measured, 'on'>> {
  const { figures: known }: { figures: Measured } = await import(file)
  const missing = subjects.filter((subject) => !Object.hasOwn(known.calls, kindOf(subject)))
  const beside = subjects.filter((subject) => kindOf(subject) === 'gcra')
  const { states, calls } = await measured(place, [...beside, ...missing])
  const share = (known.calls.gcra?.cpuUs[0]?.median ?? Number.NaN) / (calls.gcra?.cpuUs[0]?.median ?? 0)
  process.stderr.write(
    `gcra takes ${calls.gcra?.cpuUs[0]?.median} µs here; all times × ${share.toFixed(2)}\n`,
  )
  const inProportion = (spread: Spread | undefined): Spread | undefined =>
    spread && rounded({ median: spread.median * share, low: spread.low * share, high: spread.high * share })
  const merged = {
    ...known,
    states: { ...known.states },
    calls: { ...known.calls },
  }
  for (const kind of missing.map(kindOf)) {
    const [state, call] = [states[kind], calls[kind]]
    if (state !== undefined) merged.states[kind] = state
    if (call !== undefined) merged.calls[kind] = { ...call, cpuUs: call.cpuUs.map(inProportion) }
  }
  return merged
}

async function placeOf(client: Redis): Promise<Machine & { readonly allocator: string }> {
  const allocator = /mem_allocator:(\S+)/.exec(await client.info('memory'))?.[1] ?? 'unknown'
  return { ...(await machineOf(client)), allocator }
}

function rounded(spread: Spread | undefined): Spread | undefined {
  if (spread === undefined) return undefined
  const tenths = (us: number) => Math.round(us * 10) / 10
  return { median: tenths(spread.median), low: tenths(spread.low), high: tenths(spread.high) }
}

function asSource(figures: Pick<Measured, 'on'>): string {
  const { day, redis, allocator, cores, processor, system } = figures.on
  return `// Written by \`${command}\`, not by hand: measured on ${day} with Redis ${redis} (${allocator}) on ${cores} cores
// (${processor}, ${system}), over a unix socket. Bytes are the growth of used_memory for each of 512 keys, microseconds the CPU time of
// the server's thread for a call among 32 connections, bytes on the way total_net_input_bytes, total_net_output_bytes and
// master_repl_offset for each of 1,000 calls with a key of 16 characters.
import type { Figures } from './figures-read.ts'

export const figures: Figures = ${JSON.stringify(figures)}
`
}

async function main(): Promise<void> {
  const own = await startRedis()
  const clustered = await startRedis(['--cluster-enabled', 'yes'])
  try {
    if (availableParallelism() > 1 && pin(process.pid, 1)) pin(own.pid, 0)
    await takeAllSlots(clustered.socket)
    const place = { socket: own.socket, clustered: clustered.socket }
    const all = process.argv.includes('--missing') ? await completed(place) : await measured(place, subjects)
    writeFileSync(file, asSource(all))
    execFileSync('npx', ['biome', 'format', '--write', file])
    fillPage()
  } finally {
    await own.stop()
    await clustered.stop()
  }
}

async function takeAllSlots(socket: string): Promise<void> {
  const client = new Redis(socket)
  await client.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383')
  while (!(await client.cluster('INFO')).includes('cluster_state:ok')) await pause(100)
  client.disconnect()
}

await main()
