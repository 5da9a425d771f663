import { parseArgs } from 'node:util'
import { RedisProcess } from '@sluice/faults/outage'
import { Redis } from 'ioredis'
import { writeIntoDocument } from '../document.ts'
import { type Machine, machineOf } from '../machine.ts'
import { asMarkdown } from '../table.ts'
import { judgedCourse, type Sample, samplesOfDay, soakTable } from './judge.ts'
import { realWeek } from './real.ts'

// A week of requests: what processes and their server keep must not grow, and nothing may be left in the end.

const usage = `Usage: npm run soak -- [flags]

Replays a week of requests in an hour, through two processes on a redis-server of its own, and judges what they keep.
Ends with 1 if memory grows, or if a key, a timer or a listener is left.

  --minutes N  how long the week takes; 60 by default
  --write      also writes the table into docs/performance.md
`

interface Flags {
  readonly minutes: string
  readonly write: boolean
}

/** Answers the complaints. */
async function soak({ minutes, write }: Flags): Promise<readonly string[]> {
  // Its log of slow calls grows with what else the machine does.
  const server = await RedisProcess.prepare(['--slowlog-max-len', '0'])
  await server.start()
  try {
    const judged = judgedCourse(await realWeek(server, Number(minutes), reporter()))
    const { day, node, redis, cores } = await machineBehind(server)
    const about = `Two processes in ${minutes} minutes, on ${day} with Node ${node} and Redis ${redis} on ${cores} cores shared with other work: ${judged.asked.toLocaleString('en')} requests.`
    const text = `${about}\n\n${asMarkdown(soakTable(judged))}`
    console.log(text)
    if (write) await writeIntoDocument('performance.md', text, 'A week')
    return judged.complaints
  } finally {
    await server.end()
  }
}

/** Prints the last sample of each day. */
function reporter(): (sample: Sample) => void {
  let hours = 0
  return (sample) => {
    if (++hours % samplesOfDay === 0)
      process.stderr.write(`day ${hours / samplesOfDay}: ${JSON.stringify(sample)}\n`)
  }
}

async function machineBehind(server: RedisProcess): Promise<Machine> {
  const client = new Redis(server.url)
  try {
    return await machineOf(client)
  } finally {
    client.disconnect()
  }
}

const flag = { type: 'boolean', default: false } as const
const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '60' }, write: flag, help: flag },
})
if (values.help) console.log(usage)
else {
  const complaints = await soak(values)
  for (const complaint of complaints) console.error(complaint)
  process.exitCode = complaints.length === 0 ? 0 : 1
}
