import { type Asked, cpuUsOf, inFlight, open } from './asking.ts'

// Throughput of the service over gRPC and HTTP beside an Express application with the middleware, in turns. All count in memory;
// this process asks, with so many requests in flight, and shares the machine with the server that it asks.
const turnMs = 1000
const rounds = 12

interface Lane extends Asked {
  readonly perSecond: number[]
  readonly cpuUs: number[]
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

const opened = await Promise.all(['middleware', 'http', 'grpc'].map(open))
const lanes: readonly Lane[] = opened.map((asked) => ({ ...asked, perSecond: [], cpuUs: [] }))
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
