import { availableParallelism } from 'node:os'
import { Redis } from 'ioredis'
import type { Bench } from './bench.ts'
import { pin } from './cores.ts'
import { costPicture, costTable } from './cost.ts'
import { writeIntoDocument, writePicture } from './document.ts'
import { type Flags, readFlags, usage } from './flags.ts'
import { judgeFloors } from './floors.ts'
import { machineOf } from './machine.ts'
import { startRedis } from './redis-server.ts'
import { type Report, reportMarkdown, reportText } from './report.ts'
import { asPrinted, type Section } from './section.ts'
import { judge } from './targets.ts'

const unhurried = { rounds: 15, turnMs: 25 }
const quick = { rounds: 9, turnMs: 20 }

async function measure(bench: Bench, { parts }: Flags): Promise<Report> {
  const sections: Section[] = []
  for (const part of parts) {
    process.stderr.write(`${part.name}: ${part.about} …\n`)
    let startedAt = performance.now()
    for await (const section of part.sections(bench)) {
      process.stderr.write(`  ${section.title}: ${Math.ceil((performance.now() - startedAt) / 1000)} s\n`)
      startedAt = performance.now()
      sections.push(asPrinted(section))
    }
  }
  const machine = await machineOf(bench.client)
  return { machine, sections, floors: judgeFloors(sections), targets: judge(sections) }
}

async function main(): Promise<void> {
  const flags = readFlags(process.argv.slice(2))
  if (flags.help) return console.log(usage)
  const redis = await startRedis()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => void redis.stop().finally(() => process.exit(1)))
  }
  const client = new Redis(redis.url)
  try {
    const pinned = availableParallelism() > 1 && pin(process.pid, 1) && pin(redis.pid, 0)
    const { url, pid } = redis
    const pace = flags.quick ? quick : unhurried
    const bench = { url, pid, client, pinned, pace, quick: flags.quick }
    const report = await measure(bench, flags)
    if (flags.write) await write(report)
    console.log(flags.json ? JSON.stringify(report, null, 2) : reportText(report))
  } finally {
    client.disconnect()
    await redis.stop()
  }
}

async function write(report: Report): Promise<void> {
  await writeIntoDocument('performance.md', reportMarkdown(report))
  await writeIntoDocument('cost.md', costTable(report))
  await writePicture('cost.svg', costPicture(report))
}

try {
  await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
