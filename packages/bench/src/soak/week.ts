import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'

/** The hour of a shop that `sluice compare` shows its work on. */
const sample = fileURLToPath(new URL('../../../cli/sample/access.log.gz', import.meta.url))

const secondUs = 1e6
export const hourUs: number = 3600e6
export const hoursOfWeek: number = 7 * 24

interface Logged {
  /** Since the hour began. */
  readonly atUs: number
  readonly client: string
}

export interface Request {
  /** Since the week began. */
  readonly atUs: number
  readonly client: string
}

/** Who asked, and when: an address and a time with minutes and seconds are all that is read of a line. */
function sampleHour(): readonly Logged[] {
  const text = gunzipSync(readFileSync(sample)).toString('latin1')
  const found = [...text.matchAll(/^(\S+) \S+ \S+ \[\d+\/\w+\/\d+:\d+:(\d\d):(\d\d) /gm)].map(
    ([, client = '', minute, second]) => ({
      atUs: (Number(minute) * 60 + Number(second)) * secondUs,
      client,
    }),
  )
  return found.sort((a, b) => a.atUs - b.atUs)
}

/** Which share of the clients come in an hour of the day: a tenth at four in the morning, all at four in the afternoon. */
function shareAt(hour: number): number {
  return 0.55 - 0.45 * Math.cos((2 * Math.PI * (hour - 4)) / 24)
}

/** A week of such hours: every second client is the same one each time, the others never come again. */
export function* week(hour: readonly Logged[] = sampleHour()): Generator<Request> {
  const places = new Map<string, number>()
  for (const { client } of hour) if (!places.has(client)) places.set(client, places.size)
  for (let nth = 0; nth < hoursOfWeek; nth++) {
    const share = shareAt(nth % 24)
    for (const { atUs, client } of hour) {
      const place = places.get(client) ?? 0
      // The golden ratio spreads them: those of a small share come in every hour.
      if ((place * 0.618034) % 1 >= share) continue
      yield { atUs: nth * hourUs + atUs, client: place % 2 === 0 ? client : `${client} ${nth}` }
    }
  }
}
