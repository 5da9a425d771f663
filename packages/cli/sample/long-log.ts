// Writes a long log of the sample's kind to standard output, hour upon hour with other clients, to measure with:
// node --conditions=sluice-source --import tsx packages/cli/sample/long-log.ts 1000000 > long.log
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { sampleLog } from './sample-log.ts'

const hour = sampleLog().trimEnd().split('\n')
const beganMs = Date.UTC(2026, 2, 10)

function* hours(lines: number): Generator<string> {
  for (let left = lines, i = 0; left > 0; left -= hour.length, i++) {
    const [date = '', time = ''] = new Date(beganMs + i * 3600e3).toISOString().split('T')
    const stamp = `[${date.slice(8)}/Mar/2026:${time.slice(0, 2)}:`
    const some = hour.slice(0, left).map((line) => line.replace('[10/Mar/2026:13:', stamp))
    yield `${some.map((line) => line.replace('192.0.2.', `10.${i >> 8}.${i & 255}.`)).join('\n')}\n`
  }
}

await pipeline(Readable.from(hours(Number(process.argv[2] ?? 1_000_000))), process.stdout).catch((error) => {
  // The reader of a pipe may exit first, as in `… | head`.
  if (error.code !== 'EPIPE') throw error
})
