import type { Latencies } from '../asking/arrivals.ts'
import type { Bench } from '../bench.ts'
import { pin } from '../cores.ts'
import { Helper } from '../helper.ts'
import { disturbed, type Pace, undisturbed } from '../rounds.ts'
import type { Section } from '../section.ts'
import { type Lane, raceLanes, type Shown, sectionOfTurns } from '../turns.ts'
import type { Framework, Limiting } from './limits.ts'
import type { LoadDuties } from './load-child.ts'
import type { ServerDuties } from './server-child.ts'

export const frameworks: readonly Framework[] = ['Fastify', 'Koa', 'Express']
export const ownLibrary: { readonly [F in Framework]: string } = {
  Express: 'express-rate-limit',
  Fastify: '@fastify/rate-limit',
  Koa: 'koa-ratelimit',
}
export const places = ['memory', 'Redis'] as const
export type Place = (typeof places)[number]
export const overBare = 'over bare µs'
const perSecond = 2000
/** Turns of the limiter, and of the bare framework, in a round. */
const pairs = 2

type Load = Helper<LoadDuties>
type HttpFigure = 'perSecond' | 'cpuUs' | 'overBareUs'

interface Running {
  readonly name: string
  readonly limited: boolean
  readonly server: Helper<ServerDuties>
  readonly port: number
  /** The same framework in the same process, without a limiter. */
  readonly barePort: number
}

export function httpId(framework: Framework): string {
  return `http-${framework}`
}

export function rowName(framework: Framework, limiting: Limiting, place: Place): string {
  if (limiting === 'bare') return `bare ${framework}`
  const library = limiting === 'own' ? ownLibrary[framework] : limiting
  return `${library}, ${place}`
}

/** What each limiter adds to a request of each framework: CPU time of the server's process, over real sockets. */
export async function* httpSections(bench: Bench): AsyncGenerator<Section> {
  const load = new Helper<LoadDuties>('http/load-child.js')
  // Beside Redis, so that the server has a core of its own.
  pin(load.pid, 0)
  try {
    for (const framework of frameworks) yield* sectionsOf(framework, bench, load)
  } finally {
    await load.end()
  }
}

async function* sectionsOf(
  framework: Framework,
  { url, client, pace }: Bench,
  load: Load,
): AsyncGenerator<Section> {
  const running: Running[] = []
  try {
    running.push(await start(framework, { limiting: 'bare', place: 'memory', url }))
    for (const place of places) {
      for (const limiting of ['Sluice', 'Sluice, CommonJS', 'own', 'rate-limiter-flexible'] as const)
        running.push(await start(framework, { limiting, place, url }))
    }
    yield await throughput(framework, { running, load, pace })
    yield await atRate(framework, { running, load, pace })
  } finally {
    for (const { server } of running) await server.end()
    await client.flushall()
  }
}

async function start(
  framework: Framework,
  { limiting, place, url }: { limiting: Limiting; place: Place; url: string },
): Promise<Running> {
  const client = place === 'memory' ? 'memory' : 'ioredis'
  const server = new Helper<ServerDuties>('http/server-child.js', [framework, limiting, client, url])
  const name = rowName(framework, limiting, place)
  const ports = await server.ask('ports', undefined)
  return { name, limited: limiting !== 'bare', server, port: ports.limited, barePort: ports.bare }
}

async function throughput(
  framework: Framework,
  { running, load, pace }: { running: readonly Running[]; load: Load; pace: Pace },
): Promise<Section> {
  const lanes: Lane<HttpFigure>[] = []
  for (const each of running) {
    await undisturbed(() => sendBoth(load, each, 500 * pace.turnMs))
    const { perSecond } = await undisturbed(() => sendBoth(load, each, 2000))
    const times = Math.ceil((perSecond * 3 * pace.turnMs) / 1000)
    lanes.push({ name: each.name, turn: () => sendByTurns(load, each, times) })
  }
  const shown: readonly Shown<HttpFigure>[] = [
    { name: 'a second', figure: 'perSecond', places: 0 },
    { name: 'CPU µs', figure: 'cpuUs', places: 1 },
    { name: overBare, figure: 'overBareUs', places: 1 },
  ]
  const about = { id: httpId(framework), title: `A request of ${framework}, 64 connections`, shown }
  return sectionOfTurns(about, await raceLanes(lanes, { rounds: Math.ceil(pace.rounds / 4) }))
}

const bareOf = (running: Running): Running => ({ ...running, limited: false, port: running.barePort })

async function sendBoth(load: Load, running: Running, times: number) {
  await send(load, bareOf(running), times)
  return send(load, running, times)
}

/**
 * The limiter and the bare framework in short turns, in one process: two processes of one program differ, and so does the machine from
 * one second to the next, by more than a limiter costs. A turn is long enough for several collections of garbage, so that most of what
 * a limiter leaves behind is collected in its own turns.
 */
async function sendByTurns(load: Load, running: Running, times: number) {
  // After the turns of the others a process finds nothing of its own in the processor's caches.
  await sendBoth(load, running, 256)
  const bare = bareOf(running)
  const limitedUs: number[] = []
  const bareUs: number[] = []
  const rates: number[] = []
  for (let i = 0; i < pairs; i++) {
    // Each is first as often as the other: the garbage of one turn may be collected in the next.
    if (i % 2 === 0) bareUs.push((await send(load, bare, times)).cpuUs)
    const { cpuUs, perSecond } = await send(load, running, times)
    limitedUs.push(cpuUs)
    rates.push(perSecond)
    if (i % 2 === 1) bareUs.push((await send(load, bare, times)).cpuUs)
  }
  const cpuUs = mean(limitedUs)
  return { perSecond: mean(rates), cpuUs, overBareUs: cpuUs - mean(bareUs) }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

async function send(load: Load, { name, limited, server, port }: Running, times: number) {
  const fromUs = await server.ask('cpuUs', undefined)
  const startedAt = performance.now()
  const wrong = await load.ask('send', { port, limited, times })
  const elapsedMs = performance.now() - startedAt
  const cpuUs = (await server.ask('cpuUs', undefined)) - fromUs
  if (wrong > 0) throw disturbed(`${name}: ${wrong} responses of ${times} were not right.`)
  return { perSecond: (times * 1000) / elapsedMs, cpuUs: cpuUs / times }
}

async function atRate(
  framework: Framework,
  { running, load, pace }: { running: readonly Running[]; load: Load; pace: Pace },
): Promise<Section> {
  const lanes = running.map(({ name, limited, port }): Lane<keyof Latencies> => {
    const about = { port, limited, perSecond, turnMs: 10 * pace.turnMs }
    async function turn(): Promise<Latencies> {
      const { wrong, ...spread } = await load.ask('arrivals', about)
      if (wrong > 0) throw disturbed(`${name}: ${wrong} responses were not right.`)
      return spread
    }
    return { name, turn }
  })
  const shown: readonly Shown<keyof Latencies>[] = [
    { name: 'median µs', figure: 'medianUs', places: 0 },
    { name: '99th µs', figure: 'p99Us', places: 0 },
  ]
  const title = `Latency of a request of ${framework}, ${perSecond.toLocaleString('en-US')} a second`
  const turns = await raceLanes(lanes, { rounds: Math.ceil(pace.rounds / 4) })
  return sectionOfTurns({ id: `${httpId(framework)}-latency`, title, shown }, turns)
}
