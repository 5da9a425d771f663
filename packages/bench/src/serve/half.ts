import { once } from 'node:events'
import { pin } from '../cores.ts'
import { writeIntoDocument } from '../document.ts'
import { thisMachine } from '../machine.ts'
import { asMarkdown, asText, type Table } from '../table.ts'
import { open } from './asking.ts'
import { readFlags, usage } from './half-flags.ts'
import { mostOf, steady } from './steady.ts'

const fullMs = 10_000
const faces = { grpc: 'gRPC', http: '`POST /check`' }
const head = ['', 'requests a second', 'errors', 'median, ms', '99 % within, ms', 'CPU of the server, µs']

async function rowOf(name: keyof typeof faces, forMs: number): Promise<readonly string[]> {
  const asked = await open(name)
  try {
    keepApart(asked.child.pid)
    const perSecond = (await mostOf(asked, fullMs)) / 2
    const { ms, errors, cpuUs } = await steady(asked, perSecond, forMs)
    const at = (share: number) => (ms[Math.floor(share * (ms.length - 1))] ?? Number.NaN).toFixed(2)
    const rate = perSecond.toLocaleString('en', { maximumFractionDigits: 0 })
    return [faces[name], rate, String(errors), at(0.5), at(0.99), (cpuUs / ms.length).toFixed(1)]
  } finally {
    asked.child.kill()
    await once(asked.child, 'exit')
  }
}

let apart = true

function keepApart(server: number | undefined): void {
  if (server !== undefined && pin(server, 0) && pin(process.pid, 1)) return
  apart = false
  console.error('Client and server could not be kept on a core each: the figures mean little.')
}

function sentenceOf({ cores, processor, system, node, day }: ReturnType<typeof thisMachine>): string {
  return `Measured on ${day} with Node ${node} on ${cores} cores (${processor}, ${system}): one limit in memory.`
}

async function main(): Promise<void> {
  const { seconds, write, help } = readFlags(process.argv.slice(2))
  if (help) {
    console.log(usage)
    return
  }
  const machine = thisMachine()
  const rows: (readonly string[])[] = []
  for (const name of ['grpc', 'http'] as const) rows.push(await rowOf(name, seconds * 1000))
  const table: Table = [head, ...rows]
  console.log(`${sentenceOf(machine)}\n\n${asText(table)}`)
  if (!write) return
  if (!apart) throw new Error('--write needs a core each for client and server.')
  await writeIntoDocument('serve.md', `${sentenceOf(machine)}\n\n${asMarkdown(table)}`, 'Half')
}

try {
  await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
// Its connections would keep it.
process.exit()
