import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Redis } from 'ioredis'
import type { Bench } from '../bench.ts'
import { serverCpuUs } from '../cpu-time.ts'
import { Helper } from '../helper.ts'
import { startRedis } from '../redis-server.ts'
import { type Pace, undisturbed } from '../rounds.ts'
import type { Section } from '../section.ts'
import { type Lane, raceLanes, type Shown, sectionOfTurns } from '../turns.ts'
import type { AskingDuties } from './asking-child.ts'
import type { HolderDuties } from './holder-child.ts'

interface Figures {
  readonly perSecond: number
  readonly askingUs: number
  readonly answeringUs: number
  readonly bothUs: number
}

/** A process that asks, and what the one that answers has used of the processor. */
interface Pair {
  readonly name: string
  readonly asking: Helper<AskingDuties>
  answeringCpuUs(): Promise<number>
}

const hostNames = {
  host: 'another process, hostStore',
  socket: 'Redis, Unix socket',
  loopback: 'Redis, loopback',
} as const

const shown: readonly Shown<keyof Figures>[] = [
  { name: 'a second', figure: 'perSecond', places: 0 },
  { name: `of ${hostNames.loopback}`, figure: 'perSecond', places: 2, of: () => hostNames.loopback },
  { name: 'asking µs', figure: 'askingUs', places: 2 },
  { name: 'answering µs', figure: 'answeringUs', places: 2 },
  { name: 'both µs', figure: 'bothUs', places: 2 },
  { name: `both, of ${hostNames.loopback}`, figure: 'bothUs', places: 2, of: () => hostNames.loopback },
]

/** Checks of a counter that another process of this machine holds, beside the same in Redis on this machine. */
export async function* hostSections({ pace }: Bench): AsyncGenerator<Section> {
  const folder = await mkdtemp(path.join(tmpdir(), 'host-bench-'))
  const redis = await startRedis()
  const client = new Redis(redis.socket)
  const place = path.join(folder, 'place')
  const holder = new Helper<HolderDuties>('host/holder-child.js', [place])
  await holder.ask('ready', undefined)
  const redisCpuUs = () => serverCpuUs(client)
  const asking = (...args: readonly string[]) => new Helper<AskingDuties>('host/asking-child.js', args)
  const pairs: readonly Pair[] = [
    {
      name: hostNames.host,
      asking: asking('host', place),
      answeringCpuUs: () => holder.ask('cpuUs', undefined),
    },
    { name: hostNames.socket, asking: asking('redis', redis.socket), answeringCpuUs: redisCpuUs },
    {
      name: hostNames.loopback,
      asking: asking('redis', redis.url),
      answeringCpuUs: redisCpuUs,
    },
  ]
  try {
    for (const { asking } of pairs) await asking.ask('ready', undefined)
    yield await sectionAt(pairs, pace, {
      id: 'host-one',
      title: 'Processes of one machine, one at a time',
      atOnce: 1,
    })
    yield await sectionAt(pairs, pace, {
      id: 'host-64',
      title: 'Processes of one machine, 64 at once',
      atOnce: 64,
    })
  } finally {
    for (const { asking } of pairs) await asking.end()
    await holder.end()
    client.disconnect()
    await redis.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function sectionAt(
  pairs: readonly Pair[],
  pace: Pace,
  { id, title, atOnce }: { id: string; title: string; atOnce: number },
): Promise<Section> {
  const lanes: Lane<keyof Figures>[] = []
  for (const pair of pairs) {
    const times = await undisturbed(() => pair.asking.ask('warmUp', { atOnce, turnMs: pace.turnMs }))
    lanes.push({ name: pair.name, turn: () => turnOf(pair, { atOnce, times }) })
  }
  return sectionOfTurns({ id, title, shown }, await raceLanes(lanes, pace))
}

async function turnOf(
  { asking, answeringCpuUs }: Pair,
  about: { readonly atOnce: number; readonly times: number },
): Promise<Figures> {
  const fromUs = await answeringCpuUs()
  const { perSecond, askingUs } = await asking.ask('turn', about)
  const answeringUs = ((await answeringCpuUs()) - fromUs) / about.times
  return { perSecond, askingUs, answeringUs, bothUs: askingUs + answeringUs }
}
