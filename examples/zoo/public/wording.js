// All sentences of the page. Waiting times are rounded up, so that a visitor who waits that long is not refused again.
import { clock } from '/dashboard/numbers.js'

const words =
  'No One Two Three Four Five Six Seven Eight Nine Ten Eleven Twelve Thirteen Fourteen Fifteen'.split(' ')
const numbers = new Intl.NumberFormat('en')

export const noAnswer = 'No answer from the server. Try again.'
export const crowdWaits = 'No answer from the server yet. The crowd is sent when it answers.'

export const count = (n) => numbers.format(n)

const counted = (n, one, many) => `${count(n)} ${n === 1 ? one : many}`

/** "Eight attractions, eight ways to limit a rate." */
export function waysToLimit(n) {
  const word = words[n] ?? count(n)
  return `${word} ${n === 1 ? 'attraction' : 'attractions'}, ${word.toLowerCase()} ${n === 1 ? 'way' : 'ways'} to limit a rate.`
}

/** Whole seconds for an answer: "7 s", from two minutes on "9 min", from two hours on "3 h". */
export function wholeWait(ms) {
  const seconds = Math.max(1, Math.ceil(ms / 1000))
  if (seconds <= 120) return `${seconds} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes <= 120 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`
}

/** Tenths below ten seconds, for what is looked at again each second: "1.9 s". Never "0.0 s". */
export function shortWait(ms) {
  const tenths = Math.max(1, Math.ceil(ms / 100))
  return tenths < 100 ? `${(tenths / 10).toFixed(1)} s` : wholeWait(ms)
}

export function serverLine({ framework, store }) {
  const counting = {
    memory: 'counted in memory',
    redis: 'counted in Redis',
    local: 'Redis down, counted locally',
  }
  return `${framework}, ${counting[store] ?? `counted in ${store}`}`
}

/** "87" "of 100 left", "9" "of 12 places", "6" "of 20 left in 1 s"; a limit of null is none. */
export function leftOf({ limit, left, visitMs, inWindow }) {
  if (limit === null) return { number: '∞', unit: 'left' }
  const what = visitMs === undefined ? 'left' : 'places'
  return {
    number: count(left),
    unit: `of ${count(limit)} ${what}${inWindow === null ? '' : ` in ${inWindow}`}`,
  }
}

/** The meter's text for screen readers. */
export function takenOf({ limit, left, inWindow }) {
  if (limit === null) return 'no limit'
  if (limit === 0) return 'closed'
  const taken = `${count(Math.max(0, limit - left))} of ${count(limit)} taken`
  return inWindow === null ? taken : `${taken} in ${inWindow}`
}

export function whenFree({ limit, left, againInMs, allFreeInMs, queue, visitMs }) {
  if (queue !== undefined) return queue === null ? 'out of reach' : inLine(queue)
  if (limit === 0) return 'closed'
  if (againInMs !== null) return `again in ${shortWait(againInMs)}`
  if (visitMs !== undefined) return left === limit ? 'nobody inside' : `${count(limit - left)} inside`
  return allFreeInMs > 0 ? `all free in ${shortWait(allFreeInMs)}` : 'all free'
}

function inLine({ waiting, running }) {
  if (waiting + running === 0) return 'nobody in line'
  return waiting === 0 ? `${count(running)} being served` : `${count(waiting)} waiting`
}

export const inLineCaption = 'in line or being served'

/** Below the upper lane of a chart, where it shows something else than the legend says. */
export function chartCaption({ shade, windowSeconds }) {
  if (shade === 'in-flight') return 'inside at once'
  return windowSeconds === 10 ? '' : `sold in the last ${count(windowSeconds)} s`
}

const sumOfLast = (values, n) => values.slice(-n).reduce((sum, value) => sum + value, 0)

export const nowWord = 'now'

/** Above the charts: whether they go on, and if not, up to when they go. */
export const spanLine = (live, lastSeconds) => {
  if (live) return 'last 60 s, live'
  return lastSeconds === null ? 'not live' : `not live, 60 s up to ${clock(lastSeconds)}`
}

/** A chart's text for screen readers; `upTo`: when it ended, null while it goes on. */
export function chartWords({ name }, { admitted, refused }, upTo) {
  const sums = `${count(sumOfLast(admitted, 10))} admitted, ${count(sumOfLast(refused, 10))} refused`
  const when = upTo === null ? 'In the last 10 seconds' : `In the 10 seconds up to ${upTo}`
  return `Last minute at ${name}. ${when} ${sums}.`
}

/** A queued ticket: "Place 3 in line, about 2 s". */
export function placeInLine({ place, waitMs }) {
  if (place === 0) return 'Being served'
  return waitMs === null
    ? `Place ${count(place)} in line`
    : `Place ${count(place)} in line, about ${wholeWait(waitMs)}`
}

export const forgotten = 'The server has forgotten this ticket. Buy another one.'

export function ownLimit(visitor, { mayBuy, againInMs }) {
  if (mayBuy) return `${visitor} may buy now`
  return againInMs === null
    ? `${visitor} may not buy here`
    : `${visitor} may buy again in ${wholeWait(againInMs)}`
}

/** The name of a visitor's own policy: `tiger.visitor`, or in a file of limits `attraction/tiger/visitor/*`. */
const visitors = /\.visitor$|\/visitor\//

/** What follows "Refused." while `waitMs` of the wait are left. */
export function refusal({ visitor, reason, policies, detail }, waitMs) {
  if (waitMs === null) return detail
  if (waitMs <= 0) return ''
  if (reason === 'blocked' || reason === 'banned') return `${visitor} is ${reason} for ${wholeWait(waitMs)}`
  if (reason === 'store-unavailable') return `Try again in ${wholeWait(waitMs)}`
  if (policies.some((name) => visitors.test(name))) return `${visitor} may buy again in ${wholeWait(waitMs)}`
  return `Free again in ${wholeWait(waitMs)}`
}

/** The end of a refusal's line among the tickets: "again in 7 s". */
export function refusalOnTicket({ reason, waitMs }) {
  if (waitMs === null) return 'refused for good'
  return `${reason === 'blocked' || reason === 'banned' ? `${reason} for` : 'again in'} ${wholeWait(waitMs)}`
}

export const crowdPlan = (visitors, seconds) =>
  `${counted(visitors, 'visitor asks', 'visitors ask')} for ${seconds} s, each about once a second. It stops automatically.`

export const crowdSoFar = ({ asked, admitted, refused }) =>
  `${count(asked)} asked, ${count(admitted)} admitted, ${count(refused)} refused.`

export function crowdDone({ asked, admitted, unanswered, unsent }) {
  const parts = [`Done. ${count(admitted)} of ${count(asked)} got in.`]
  if (unanswered > 0) parts.push(`${count(unanswered)} got no answer.`)
  if (unsent > 0) parts.push(`${count(unsent)} more could not be sent in time.`)
  return parts.join(' ')
}

/** The purchase as a command for a POSIX shell; a quote in the name cannot leave its quotes. */
export function curlLine(origin, visitor) {
  const body = JSON.stringify({ visitor, quantity: 1 }).replaceAll("'", String.raw`'\''`)
  return `curl -i -X POST ${origin}/attractions/tiger/tickets -H 'Content-Type: application/json' -d '${body}'`
}
