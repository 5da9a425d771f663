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
import { kindOf, longGcraDigits, longGcraSubjects, subjects } from './subjects.ts'

// Measures what `sluice plan` computes with, writes it where the command finds it, and what that prints then into docs/plan.md.

const command = 'npm run bench:plan'
const file = fileURLToPath(new URL('../../../cli/src/plan/figures.ts', import.meta.url))
const pace = { rounds: 41, turnMs: 60 }

/** `clustered`: the socket of a server of a cluster. */
async function measured(socket: string, clustered: string) {
  const client = new Redis(socket)
  const names = await nameBytes(client)
  const besideKey = await charactersBesideKey(client)
  const on = await placeOf(client)
  client.disconnect()
  const inCluster = await clusterBytes(socket, clustered)
  const states: { [strategy: string]: Awaited<ReturnType<typeof stateBytes>> } = {}
  for (const subject of subjects.filter(({ isStoredPlainly }) => isStoredPlainly !== true)) {
    process.stderr.write(`bytes of ${kindOf(subject)} …\n`)
    states[kindOf(subject)] = await stateBytes(socket, subject, names)
  }
  const longGcra: number[] = []
  for (const subject of longGcraSubjects) {
    const { bytes } = await stateBytes(socket, subject, names)
    longGcra.push((bytes[0] ?? 0) - (states.gcra?.bytes[0] ?? 0))
  }
  process.stderr.write('calls …\n')
  const wire = await wireOfCalls(socket, subjects)
  const cpu = await cpuOfCalls(socket, subjects, pace)
  return {
    on,
    names: { besideKey, ...names },
    clusterBytes: inCluster,
    states,
    longGcra: { upTo: longGcraDigits, bytes: longGcra },
    calls: Object.fromEntries(
      subjects.map((subject) => {
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

async function placeOf(client: Redis): Promise<Machine & { readonly allocator: string }> {
  const allocator = /mem_allocator:(\S+)/.exec(await client.info('memory'))?.[1] ?? 'unknown'
  return { ...(await machineOf(client)), allocator }
}

function rounded(spread: Spread | undefined): Spread | undefined {
  if (spread === undefined) return undefined
  const tenths = (us: number) => Math.round(us * 10) / 10
  return { median: tenths(spread.median), low: tenths(spread.low), high: tenths(spread.high) }
}

function asSource(figures: Awaited<ReturnType<typeof measured>>): string {
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
    writeFileSync(file, asSource(await measured(own.socket, clustered.socket)))
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
