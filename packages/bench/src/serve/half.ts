import { parseArgs } from 'node:util'
import { pin } from '../cores.ts'
import { writeIntoDocument } from '../document.ts'
import { thisMachine } from '../machine.ts'
import { asMarkdown, asText, type Table } from '../table.ts'
import { open } from './asking.ts'
import { flooded, steady } from './load.ts'

const usage = `Usage: npm run bench:serve:half -- [flags]

Finds out how much the service can do over gRPC and over HTTP, and then asks half of that for a minute, with a core each for client
and service: errors, median and 99th percentile of the time of an answer, and the CPU of the service for a request. It needs a
machine that does nothing else.

  --seconds N  ask for so long, to try it out (60)
  --write      also writes the table into docs/serve.md; not with --seconds, nor where a process cannot be kept on a core
`

const fullMs = 10_000
const faces = { grpc: 'gRPC', http: '`POST /check`' }
const head = ['', 'requests a second', 'errors', 'median, ms', '99 % within, ms', 'CPU of the server, µs']

async function rowOf(name: keyof typeof faces, forMs: number): Promise<readonly string[]> {
  const asked = await open(name)
  try {
    keepApart(asked.server.pid)
    const perSecond = (await flooded(asked, fullMs)).perSecond / 2
    const { ms, errors, cpuUs } = await steady(asked, perSecond, forMs)
    const at = (share: number) => (ms[Math.floor(share * (ms.length - 1))] ?? Number.NaN).toFixed(2)
    const rate = perSecond.toLocaleString('en', { maximumFractionDigits: 0 })
    return [faces[name], rate, String(errors), at(0.5), at(0.99), cpuUs.toFixed(1)]
  } finally {
    await asked.server.end()
  }
}

let apart = true

function keepApart(server: number): void {
  if (pin(server, 0) && pin(process.pid, 1)) return
  apart = false
  console.error('Client and server could not be kept on a core each: the figures mean little.')
}

async function measure(given: string | undefined, write: boolean): Promise<void> {
  const seconds = Number(given ?? 60)
  if (!(seconds > 0)) throw new Error(`--seconds: expected a number above 0, got ${given}.`)
  if (given !== undefined && write) throw new Error('--write needs the whole minute: leave out --seconds.')
  const { cores, processor, system, node, day } = thisMachine()
  const about = `Measured on ${day} with Node ${node} on ${cores} cores (${processor}, ${system}): one limit in memory.`
  const rows: (readonly string[])[] = []
  for (const name of ['grpc', 'http'] as const) rows.push(await rowOf(name, seconds * 1000))
  const table: Table = [head, ...rows]
  console.log(`${about}\n\n${asText(table)}`)
  if (!write) return
  if (!apart) throw new Error('--write needs a core each for client and server.')
  await writeIntoDocument('serve.md', `${about}\n\n${asMarkdown(table)}`, 'Half')
}

const flag = { type: 'boolean', default: false } as const
try {
  const { seconds, write, help } = parseArgs({
    options: { seconds: { type: 'string' }, write: flag, help: { ...flag, short: 'h' } },
  }).values
  if (help) console.log(usage)
  else await measure(seconds, write)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
// Its connections would keep it.
process.exit()
