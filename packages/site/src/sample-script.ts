import { readArrivals } from './playground/pasted.ts'

/** The requests of a log as a script: seconds since the one before and the number of the key, in turns. */
export function sampleScript(log: string): string {
  const { arrivals } = readArrivals(log)
  const fromMs = (arrivals[0]?.atUs ?? 0) / 1000
  const keys = [...new Set(arrivals.map(({ key }) => key))]
  const numbers = new Map(keys.map((key, i) => [key, i]))
  let second = 0
  const requests = arrivals.flatMap(({ atUs, key }) => {
    const sinceLast = Math.floor((atUs / 1000 - fromMs) / 1000) - second
    second += sinceLast
    return [sinceLast, numbers.get(key) ?? 0]
  })
  return `window.sluiceSample=${JSON.stringify({ fromMs, keys, requests })}\n`
}
