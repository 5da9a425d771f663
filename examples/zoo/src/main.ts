// `npm start`: the zoo's ticket server.
import { stand } from '@sluice/crowd'
import { memorySink, recorder } from '@sluice/telemetry'
import { countByFile } from './by-file.ts'
import { countByPolicies } from './by-policies.ts'
import { closeOnSignal, closeServer } from './closing.ts'
import { Complaint } from './complaint.ts'
import { readFlags, usage } from './flags.ts'
import { frameworks } from './frameworks.ts'
import { listen } from './listen.ts'
import { QueueBooth } from './queue-booth.ts'
import { redisNews } from './redis-news.ts'
import { countingWords, openStore, redisAt } from './store.ts'
import { bold } from './terminal.ts'
import { TicketRoll } from './tickets.ts'
import { Zoo } from './zoo.ts'

// Limiters share a store, and each would print whatever happens to it: the observer does that once.
const logger = { warn() {}, error() {} }

async function main(): Promise<void> {
  const {
    help,
    framework,
    redis,
    limits,
    crowd: takesCrowds,
    ...place
  } = readFlags(process.argv.slice(2), process.env)
  if (help) return console.log(usage)
  const { label, load } = frameworks[framework]
  const serve = await load()
  const client = redisAt(redis)
  const store = openStore(client)
  const seen = recorder(memorySink(), { logger })
  const settings = { store, logger, observers: [redisNews(console.error), seen] }
  const counting =
    limits === undefined
      ? countByPolicies(settings)
      : await countByFile(limits, { ...settings, terminal: console })
  const roll = new TicketRoll()
  const queueBooth = new QueueBooth(client, roll)
  const crowd = takesCrowds ? stand(settings) : undefined
  const zoo = new Zoo({ framework: label, store, counting, queueBooth, roll, crowd })
  const server = await serve(zoo)
  const url = await listen(server, place)
  closeOnSignal(async () => {
    const closed = closeServer(server)
    // Who stays inside for a while is answered now.
    await crowd?.close()
    await closed
    await queueBooth.close()
    await counting.close()
    await seen.close()
    await store.close()
  })
  console.log(`${bold('Zoo tickets')} on ${label}, ${countingWords(redis, await zoo.ready())}`)
  if (client === undefined) console.log('  what waits in a queue is forgotten when the zoo ends')
  if (limits !== undefined) console.log(`  limits from ${limits}, which may be edited meanwhile`)
  console.log(`  ${bold(url)}`)
  console.log(`  curl -i -X POST ${url}/attractions/tiger/tickets -H 'X-Visitor: bob'`)
}

// Whoever reads what is printed may leave first, as in `npm start | head`.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

try {
  await main()
} catch (error) {
  if (!(error instanceof Complaint)) throw error
  console.error(error.message)
  // A connection to Redis may be open already.
  process.exit(error.exitCode)
}
