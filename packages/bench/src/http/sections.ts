import type { Latencies } from '../asking/arrivals.ts'
import type { Server } from '../asking/sections.ts'
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
export const overBare = 'over bare µs'
const perSecond = 2000

type Load = Helper<LoadDuties>
type HttpFigure = 'perSecond' | 'cpuUs'

interface Running {
  readonly name: string
  readonly limited: boolean
  readonly server: Helper<ServerDuties>
  readonly port: number
}

export function httpId(framework: Framework): string {
  return `http-${framework}`
}

export function rowName(framework: Framework, limiting: Limiting, place: (typeof places)[number]): string {
  if (limiting === 'bare') return `bare ${framework}`
  const library = limiting === 'own' ? ownLibrary[framework] : limiting
  return `${library}, ${place}`
}

/** What each limiter adds to a request of each framework: CPU time of the server's process, over real sockets. */
export async function* httpSections(redis: Server, pace: Pace): AsyncGenerator<Section> {
  const load = new Helper<LoadDuties>('http/load-child.js')
  // Beside Redis, so that the server has a core of its own.
  pin(load.pid, 0)
  try {
    for (const framework of frameworks) yield* sectionsOf(framework, { redis, load, pace })
  } finally {
    await load.end()
  }
}

async function* sectionsOf(
  framework: Framework,
  { redis, load, pace }: { redis: Server; load: Load; pace: Pace },
): AsyncGenerator<Section> {
  const running: Running[] = []
  try {
    running.push(await start(framework, { limiting: 'bare', place: 'memory', socket: redis.socket }))
    for (const place of places) {
      for (const limiting of ['Sluice', 'Sluice, CommonJS', 'own', 'rate-limiter-flexible'] as const)
        running.push(await start(framework, { limiting, place, socket: redis.socket }))
    }
    yield await throughput(framework, { running, load, pace })
    yield await atRate(framework, { running, load, pace })
  } finally {
    for (const { server } of running) await server.end()
    await redis.client.flushall()
  }
}

async function start(
  framework: Framework,
  { limiting, place, socket }: { limiting: Limiting; place: (typeof places)[number]; socket: string },
): Promise<Running> {
  const client = place === 'memory' ? 'memory' : 'ioredis'
  const server = new Helper<ServerDuties>('http/server-child.js', [framework, limiting, client, socket])
  const name = rowName(framework, limiting, place)
  return { name, limited: limiting !== 'bare', server, port: await server.ask('port', undefined) }
}

async function throughput(
  framework: Framework,
  { running, load, pace }: { running: readonly Running[]; load: Load; pace: Pace },
): Promise<Section> {
  const lanes: Lane<HttpFigure>[] = []
  for (const each of running) {
    await undisturbed(() => send(load, each, 1000 * pace.turnMs))
    const { perSecond } = await undisturbed(() => send(load, each, 2000))
    const times = Math.ceil((perSecond * 6 * pace.turnMs) / 1000)
    lanes.push({ name: each.name, turn: () => sendWarm(load, each, times) })
  }
  const bare = () => rowName(framework, 'bare', 'memory')
  const shown: readonly Shown<HttpFigure>[] = [
    { name: 'a second', figure: 'perSecond', places: 0 },
    { name: 'CPU µs', figure: 'cpuUs', places: 1 },
    { name: overBare, figure: 'cpuUs', of: bare, above: true, places: 1 },
  ]
  const about = { id: httpId(framework), title: `A request of ${framework}, 64 connections`, shown }
  return sectionOfTurns(about, await raceLanes(lanes, { rounds: Math.ceil(pace.rounds / 2) }))
}

/** After the turns of the others a process finds nothing of its own in the processor's caches. */
async function sendWarm(load: Load, running: Running, times: number) {
  await send(load, running, 256)
  return send(load, running, times)
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
