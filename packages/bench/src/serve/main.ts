import { asText, tableOf } from '../table.ts'
import { raceLanes, type Shown, sectionOfTurns } from '../turns.ts'
import { open } from './asking.ts'
import { flooded } from './load.ts'

// Throughput of the service over gRPC and HTTP beside an Express application with the middleware, in turns. All count in memory;
// this process asks, with so many requests in flight, and shares the machine with the server that it asks.
const turnMs = 1000
const rounds = 12
const shown: readonly Shown<'perSecond' | 'cpuUs'>[] = [
  { name: 'a second', figure: 'perSecond', places: 0 },
  { name: 'CPU of the server, µs', figure: 'cpuUs', places: 1 },
  { name: 'of the middleware', figure: 'cpuUs', places: 2, of: () => 'middleware' },
]

const opened = await Promise.all(['middleware', 'http', 'grpc'].map(open))
const lanes = opened.map((asked) => ({ name: asked.name, turn: () => flooded(asked, turnMs) }))
for (const { turn } of lanes) await turn()
const turns = await raceLanes(lanes, { rounds })
console.log(asText(tableOf(sectionOfTurns({ id: 'serve', title: 'What the service costs', shown }, turns))))
for (const { server } of opened) await server.end()
// Its connections would keep it.
process.exit()
