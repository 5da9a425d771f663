import { keysFor } from './asking/keys.ts'
import { type LibraryName, libraries } from './asking/libraries.ts'
import { openPlace } from './asking/place.ts'
import { askRaw } from './asking/raw.ts'
import type { Asker, Work } from './asking/work.ts'
import type { Figures } from './cold.ts'
import { ownCpuUs } from './cpu-time.ts'

// Its own words: the library, what it is asked, the server, after how many checks to look at the clock first, and how many there are.
const [library, strategy, url = '', ...counts] = process.argv.slice(2) as [LibraryName, Work['strategy']]
const [first = 0, all = 0] = counts.map(Number)

/** One after another, and what they took so far whenever as many have been answered as `looks` says. */
async function measured({ ask, isRight }: Asker, keys: readonly string[], looks: readonly number[]) {
  const took: Figures[] = []
  let wrong = 0
  const fromUs = ownCpuUs()
  const startedAt = performance.now()
  for (let i = 0; i < keys.length; i++) {
    if (!isRight(await ask(keys[i] ?? ''))) wrong++
    if (!looks.includes(i + 1)) continue
    const elapsedMs = performance.now() - startedAt
    took.push({ cpuUs: (ownCpuUs() - fromUs) / (i + 1), elapsedUs: (elapsedMs * 1000) / (i + 1) })
  }
  return { took, wrong }
}

const place = await openPlace('ioredis', url)
const work = { strategy, keys: all }
const asker = await (strategy === 'raw' ? askRaw : await libraries[library]())(place, work)
if (asker === undefined) throw new Error(`${library} has no ${strategy}.`)
// The connection is there, as it is after the `ready` of a limiter.
if (place.kind === 'ioredis') await place.client.ping()
process.stdout.write(JSON.stringify(await measured(asker, keysFor(work), [first, all])))
process.exit()
