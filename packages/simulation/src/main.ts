import { readFileSync } from 'node:fs'
import { foundHistories } from './found.ts'
import type { Plan } from './history/plan.ts'
import { bundleCode } from './inside/bundle.ts'
import { playMany } from './many.ts'
import { help, type Options, readOptions } from './options.ts'
import { type Played, Player } from './player.ts'
import { showHistory } from './show.ts'
import { shorten } from './shrink.ts'
import { inOwnTurn } from './world/microtasks.ts'

const minuteMs = 60_000

async function simulate(options: Options): Promise<number> {
  const text = await bundleCode()
  if (options.seed !== undefined || options.plan !== undefined) return showOne(text, options)
  const player = new Player(text)
  const beganMs = Date.now()
  if (options.fixed) {
    for (const { name, plan } of foundHistories()) {
      const played = await inOwnTurn(() => player.plan(plan))
      if (played.breaches.length > 0) return failed(player, played, `found/${name}.json`)
    }
  }
  const { from, seeds: count, minutes } = options
  const untilMs = beganMs + minutes * minuteMs
  let done = 0
  const broken = await playMany(player, { from, count, untilMs }, (played) => {
    done = played
    if (process.stdout.isTTY) process.stdout.write(`\r${played} histories`)
  })
  if (process.stdout.isTTY) process.stdout.write('\r')
  if (broken !== undefined) return failed(player, broken, `seed ${broken.plan.seed}`)
  const seconds = (Date.now() - beganMs) / 1000
  const { user, system } = process.cpuUsage()
  const times = `${seconds.toFixed(1)} s, of them ${((user + system) / 1e6).toFixed(1)} s of computing`
  console.log(`${done} histories from seed ${from} on, all as they must be (${times})`)
  return 0
}

async function showOne(text: string, { seed, plan: file }: Options): Promise<number> {
  const player = new Player(text, { isLogged: true })
  const played = await inOwnTurn(() => {
    const plan: Plan | undefined = file === undefined ? undefined : planIn(file)
    return plan === undefined ? player.seed(seed ?? 0) : player.plan(plan)
  })
  console.log(showHistory(played))
  return played.breaches.length === 0 ? 0 : 1
}

/** The plan in a file. Throws a sentence for the user. */
function planIn(file: string): Plan {
  const { plan } = JSON.parse(readFileSync(file, 'utf8'))
  if (plan === undefined) throw new Error(`${file} has no "plan", as a failure prints it`)
  return plan
}

/** Shortens a history, and prints it as text and as the JSON of a file. */
async function failed(player: Player, played: Played, name: string): Promise<number> {
  const short = await inOwnTurn(() => player.plan(shorten(played, (plan) => player.plan(plan))))
  const { invariant = '', said = '' } = short.breaches[0] ?? played.breaches[0] ?? {}
  console.log(`\n${name} breaks what must hold: ${invariant}\n${said}\n`)
  console.log(showHistory(short))
  console.log(`\n${JSON.stringify({ found: '', fault: '', invariant, plan: short.plan })}`)
  return 1
}

try {
  const options = readOptions(process.argv.slice(2))
  if (options.help) console.log(help)
  else process.exitCode = await simulate(options)
} catch (error) {
  console.error(error instanceof Error ? (error.stack ?? error.message) : error)
  process.exitCode = 1
}
