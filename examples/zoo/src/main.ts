// `npm start`: the zoo's ticket server.
import { memoryStore, redisStore } from '@sluice/core'
import { closeOnSignal, closeServer } from './closing.ts'
import { Complaint } from './complaint.ts'
import { readFlags, usage } from './flags.ts'
import { frameworks } from './frameworks.ts'
import { listen } from './listen.ts'
import { redisNews } from './redis-news.ts'
import { bold } from './terminal.ts'
import { Zoo } from './zoo.ts'

async function main(): Promise<void> {
  const { help, framework, redis, ...place } = readFlags(process.argv.slice(2), process.env)
  if (help) return console.log(usage)
  const { label, load } = frameworks[framework]
  const serve = await load()
  const store = redis === undefined ? memoryStore() : redisStore(redis)
  const zoo = new Zoo({ framework: label, store, observer: redisNews(console.error) })
  const server = await serve(zoo)
  const url = await listen(server, place)
  closeOnSignal(async () => {
    await closeServer(server)
    await zoo.close()
    await store.close()
  })
  const counting = countingWords(redis, await zoo.ready())
  console.log(`${bold('Zoo tickets')} on ${label}, ${counting}`)
  console.log(`  ${bold(url)}`)
  console.log(`  curl -i -X POST ${url}/attractions/tiger/tickets -H 'X-Visitor: bob'`)
}

function countingWords(redis: string | undefined, answers: boolean): string {
  if (redis === undefined) return 'counted in memory'
  // The URL may hold a password.
  const { host } = new URL(redis)
  return answers ? `counted in Redis at ${host}` : `counted locally until Redis at ${host} answers`
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
