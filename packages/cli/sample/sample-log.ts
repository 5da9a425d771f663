import { loginAttack, partner, scraper } from './machines.ts'
import { lineOf, type SampleRequest } from './request.ts'
import { shoppers } from './shoppers.ts'

const seed = 6
const minuteUs = 60e6
const fromUs = Date.UTC(2026, 2, 10, 13) * 1000
const toUs = fromUs + 60 * minuteUs

/** An hour of a shop's API: people, a partner's program, and from some minutes on a scraper and a login attack. */
export function sampleLog(): string {
  const requests = [
    ...shoppers(seed, { fromUs, toUs, visits: 260 }),
    ...partner(seed, fromUs, toUs),
    ...scraper(seed, fromUs + 18 * minuteUs, fromUs + 26 * minuteUs),
    ...loginAttack(seed, fromUs + 40 * minuteUs, fromUs + 44 * minuteUs),
  ]
  const lines = requests.sort((a, b) => endUs(a) - endUs(b) || a.atUs - b.atUs).map(lineOf)
  return `${withAccidents(lines).join('\n')}\n`
}

function endUs({ atUs, tookUs }: SampleRequest): number {
  return atUs + tookUs
}

/** What lies about in real logs: a line that was cut off, a mark, and what speaks no HTTP. */
function withAccidents(lines: readonly string[]): readonly string[] {
  const at = (part: number): number => Math.floor(lines.length * part)
  const cut = lines[at(0.3)] ?? ''
  return [
    ...lines.slice(0, at(0.3)),
    cut.slice(0, 40),
    ...lines.slice(at(0.3) + 1, at(0.6)),
    '-- MARK --',
    ...lines.slice(at(0.6), at(0.8)),
    '192.0.2.77 - - [10/Mar/2026:13:',
    ...lines.slice(at(0.8)),
  ]
}
