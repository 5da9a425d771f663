// `npm start`: the zoo's ticket server.
import { closeOnSignal } from './closing.ts'
import { Complaint } from './complaint.ts'
import { readFlags, usage } from './flags.ts'
import { frameworks } from './frameworks.ts'
import { listen } from './listen.ts'
import { countingWords } from './store.ts'
import { bold, harmless } from './terminal.ts'

async function main(): Promise<void> {
  const flags = readFlags(process.argv.slice(2), process.env)
  if (flags.help) return console.log(usage)
  // Everything else is loaded only now, so that --help is quick.
  const { openZoo } = await import('./open-zoo.ts')
  const { zoo, server, close } = await openZoo(flags)
  const url = await listen(server, flags)
  closeOnSignal(close)
  const { framework, redis, limits } = flags
  console.log(
    `${bold('Zoo tickets')} on ${frameworks[framework].label}, ${countingWords(redis, await zoo.ready())}`,
  )
  if (redis.length === 0) console.log('  what waits in a queue is forgotten when the zoo ends')
  if (limits !== undefined) console.log(`  limits from ${harmless(limits)}, which may be edited meanwhile`)
  console.log(`  ${bold(url)}`)
  console.log(`  ${url}/dashboard/ shows what the limits do`)
  console.log(`  curl -i -X POST ${url}/attractions/tiger/tickets -H 'X-Visitor: bob'`)
}

// The reader of a pipe may exit first, as in `npm start | head`.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

try {
  await main()
} catch (error) {
  if (!(error instanceof Complaint)) throw error
  console.error(harmless(error.message))
  // A connection to Redis may be open already.
  process.exit(error.exitCode)
}
