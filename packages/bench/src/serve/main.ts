import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import path from 'node:path'
import { Client, credentials } from '@grpc/grpc-js'

// Throughput of the service over gRPC and HTTP beside an Express application with the middleware, in turns. All count in memory;
// this process asks, with so many requests in flight, and shares the machine with the server that it asks.
const inFlight = 64
const turnMs = 1000
const rounds = 12

interface Lane {
  readonly name: string
  readonly child: ChildProcess
  readonly ask: () => Promise<void>
  readonly perSecond: number[]
  readonly cpuUs: number[]
}

function text(field: number, value: string | Buffer): Buffer {
  const bytes = Buffer.from(value)
  return Buffer.concat([Buffer.from([(field << 3) | 2, bytes.length]), bytes])
}

/** domain shop, one descriptor user=alex */
const question = Buffer.concat([
  text(1, 'shop'),
  text(2, text(1, Buffer.concat([text(1, 'user'), text(2, 'alex')]))),
])

function overGrpc(port: number): () => Promise<void> {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure())
  const same = (bytes: Buffer) => bytes
  const method = '/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit'
  return () =>
    new Promise((resolve, reject) => {
      client.makeUnaryRequest(method, same, same, question, (error, answer) => {
        // overall_code is the first field, and OK is 1.
        if (error !== null) reject(error)
        else if (answer?.[1] !== 1) reject(new Error('not allowed'))
        else resolve()
      })
    })
}

function overHttp(port: number, method: string, url: string, body: string): () => Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: inFlight })
  return () =>
    new Promise((resolve, reject) => {
      const sent = request({ agent, host: '127.0.0.1', port, method, path: url }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`))
        response.resume().on('end', resolve)
      })
      sent.on('error', reject).end(body)
    })
}

const asks: { readonly [kind: string]: (port: number) => () => Promise<void> } = {
  middleware: (port) => overHttp(port, 'GET', '/', ''),
  http: (port) => overHttp(port, 'POST', '/check', '{"path":["shop","user","alex"]}'),
  grpc: overGrpc,
}

async function open(name: string): Promise<Lane> {
  const child = fork(path.join(import.meta.dirname, 'child.ts'), [name], { execArgv: process.execArgv })
  const [{ port }] = await once(child, 'message')
  const ask = asks[name]?.(port)
  if (ask === undefined) throw new Error(`no way to ask ${name}`)
  return { name, child, ask, perSecond: [], cpuUs: [] }
}

async function cpuUsOf({ child }: Lane): Promise<number> {
  child.send('cpu')
  const [{ cpuUs }] = await once(child, 'message')
  return cpuUs
}

async function turn(lane: Lane): Promise<void> {
  const before = await cpuUsOf(lane)
  const startedAt = performance.now()
  let done = 0
  const caller = async () => {
    while (performance.now() - startedAt < turnMs) {
      await lane.ask()
      done++
    }
  }
  await Promise.all(Array.from({ length: inFlight }, caller))
  lane.perSecond.push((done * 1000) / (performance.now() - startedAt))
  lane.cpuUs.push(((await cpuUsOf(lane)) - before) / done)
}

function spread(values: readonly number[], digits: number): string {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(digits)
  return `${at(0.5)} (${at(0.25)}–${at(0.75)})`
}

const lanes = await Promise.all(['middleware', 'http', 'grpc'].map(open))
const [first] = lanes
for (const lane of lanes) await turn(lane)
for (const lane of lanes) lane.perSecond.splice(0) && lane.cpuUs.splice(0)
for (let round = 0; round < rounds; round++) for (const lane of lanes) await turn(lane)
for (const { name, perSecond, cpuUs } of lanes) {
  const ratios = cpuUs.map((us, i) => us / (first?.cpuUs[i] ?? us))
  console.log(
    `${name.padEnd(10)}  ${spread(perSecond, 0)} a second  ${spread(cpuUs, 1)} µs of the server's CPU  ${spread(ratios, 2)} of the middleware's`,
  )
}
for (const { child } of lanes) child.kill()
process.exit(0)
