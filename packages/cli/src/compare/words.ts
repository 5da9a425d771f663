import { didYouMean } from '@sluice/core/internal'
import { oneLine } from '../one-line.ts'
import type { Input, LogFacts } from './comparison.ts'

const whole = new Intl.NumberFormat('en')
const tenths = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })
const percent = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 })

export const secondMs = 1000
export const dayMs = 86_400_000

/** `12,345` */
export function count(number: number): string {
  return whole.format(number)
}

/** `0.4`, `12.3` */
export function rate(number: number): string {
  return number > 0 && number < 0.05 ? number.toPrecision(1) : tenths.format(number)
}

/** `11.5 %`; a share above zero is never shown as zero. */
export function share(part: number): string {
  return part > 0 && part < 0.0005 ? 'under 0.1 %' : `${percent.format(part * 100)} %`
}

/** `1 client`, `2 clients` */
export function counted(number: number, thing: string): string {
  return `${count(number)} ${thing}${number === 1 ? '' : 's'}`
}

/** `no "usr" (did you mean "user"?); the first has user, path`: with `who`, which other fields there are. */
export function lackingWords({ field, has }: NonNullable<LogFacts['lacking']>, who?: string): string {
  const what = field === 'ip' ? 'no address of a client' : `no ${JSON.stringify(field)}`
  return who === undefined
    ? what
    : `${what}${didYouMean(field, has)}; ${who} has ${has.map(oneLine).join(', ')}`
}

/** What policies count by, in words: `IP` for `ip`, `tenant` for `field:tenant`. */
export function keyWord(keyedBy: string): string {
  return keyedBy === 'ip' ? 'IP' : keyedBy.replace(/^field:/, '')
}

/** `13:20:01`, in UTC. */
export function time(ms: number): string {
  return isoAt(ms).slice(11, 19)
}

/** `2026-03-10` */
export function day(ms: number): string {
  return isoAt(ms).slice(0, 10)
}

/** A time in ISO 8601; empty for times that a Date cannot hold. */
function isoAt(ms: number): string {
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString()
}

/** `10 of 237 well-behaved clients (4.2 %), who send at most 21 requests in any minute` */
export function wellBehavedWords(
  refused: number,
  { clients, busiestMinute }: NonNullable<Input['wellBehaved']>,
): string {
  const whom = `${count(refused)} of ${counted(clients, 'well-behaved client')} (${share(refused / clients)})`
  return `${whom}, who ${clients === 1 ? 'sends' : 'send'} at most ${counted(busiestMinute, 'request')} in any minute`
}
