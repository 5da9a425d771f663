import { availableParallelism } from 'node:os'
import { Redis } from 'ioredis'
import { callKinds, names } from './calls.ts'
import { pin } from './cores.ts'
import { writeIntoDocument } from './document.ts'
import { readFlags, usage } from './flags.ts'
import { heapBytes } from './heap.ts'
import { inFlight } from './in-flight.ts'
import { machineOf } from './machine.ts'
import { memoryInChild } from './memory.ts'
import { observersInChild } from './observers.ts'
import { queues } from './queues.ts'
import { type RedisServer, startRedis } from './redis-server.ts'
import { type Report, reportMarkdown, reportText } from './report.ts'
import type { Section } from './section.ts'
import { serverTime, serverTimeOf } from './server-time.ts'
import { serverBytes, storedBytes } from './stored-bytes.ts'
import { judge } from './targets.ts'
import { throughput } from './throughput.ts'
import { treeSections } from './tree.ts'
import { sleepers, waitingKinds } from './waiting.ts'

const unhurried = { rounds: 41, turnMs: 40 }
const quick = { rounds: 9, turnMs: 20 }

function say(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`${text} …\n`)
}

async function measure(server: RedisServer, pace: typeof quick): Promise<Report> {
  const client = new Redis(server.socket)
  const sections: Section[] = []
  try {
    const kinds = await callKinds(client)
    const oneAtATime = async (id: string, where: string) => {
      say(`one at a time${where}`)
      sections.push(await throughput(kinds, { id, title: `One at a time${where}`, atOnce: 1, pace }))
    }
    if (availableParallelism() > 1 && pin(process.pid, 1) && pin(server.pid, 1)) {
      await oneAtATime('one-core', ', client and server on one core')
      pin(server.pid, 0)
      await oneAtATime('own-cores', ', client and server on a core each')
    } else {
      await oneAtATime('unpinned', '')
    }
    say('64 at once')
    sections.push(await throughput(kinds, { id: 'at-once', title: '64 at once', atOnce: 64, pace }))
    say('server time')
    sections.push(await serverTime(client, kinds, pace), await inFlight(client, pace))
    say('queues')
    sections.push(await queues(client, pace))
    say('reservations')
    sections.push(
      await serverTimeOf(client, await waitingKinds(client), {
        id: 'waiting',
        title: 'Server time of a reservation, 64 at once',
        ratiosTo: [names.gcra],
        pace,
      }),
    )
    say('sleepers')
    sections.push(await sleepers())
    say('bytes in Redis')
    sections.push(await storedBytes(client), await serverBytes(client))
    for (const count of [10_000, 100_000]) {
      say(`in memory, ${count} keys`)
      sections.push(await memoryInChild(count, pace))
    }
    say('observers')
    sections.push(...(await observersInChild(pace)))
    say('bytes in memory')
    sections.push(await heapBytes())
    say('a tree of limits')
    sections.push(...(await treeSections(pace)))
    return { machine: await machineOf(client), sections, targets: judge(sections) }
  } finally {
    client.disconnect()
  }
}

async function main(): Promise<void> {
  const flags = readFlags(process.argv.slice(2))
  if (flags.help) return console.log(usage)
  const server = await startRedis()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => void server.stop().finally(() => process.exit(1)))
  }
  try {
    const report = await measure(server, flags.quick ? quick : unhurried)
    if (flags.write) await writeIntoDocument(reportMarkdown(report))
    console.log(flags.json ? JSON.stringify(report, null, 2) : reportText(report))
  } finally {
    await server.stop()
  }
}

try {
  await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
