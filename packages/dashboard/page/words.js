// Every sentence that the page says and the server does not.
import { clock, count, elapsed, share, shortWait, wholeWait } from './numbers.js'

export const spanWords = { 60: '1 min', 300: '5 min', 900: '15 min', 3600: '1 h' }

const longSpans = { 60: '1 minute', 300: '5 minutes', 900: '15 minutes', 3600: '1 hour' }

/** The first half is said aloud, the second only shown: it changes every second. */
export const lostWords = (lastSeconds, retryInMs) => [
  lastSeconds === null
    ? 'Not live. No answer from the server,'
    : `Not live. Last seen at ${clock(lastSeconds)},`,
  retryInMs > 0 ? ` trying again in ${wholeWait(retryInMs)}.` : ' trying again.',
]

export const pausedWords = (seconds) => (seconds === null ? 'Paused' : `Paused at ${clock(seconds)}`)

const storeName = (name) => (/^[a-z]/.test(name) ? name[0].toUpperCase() + name.slice(1) : name)

/** How the store is, in one sentence. */
export function storeState({ name, status }) {
  if (status === 'down') return `${storeName(name)} does not answer`
  if (name === '') return 'Not known to this page'
  if (name === 'memory') return 'Counting in memory'
  return status === 'ok' ? `${storeName(name)} answers` : `${storeName(name)} answers, not always`
}

const meanwhile = {
  local:
    'Each process counts by itself with the same limits, so up to one limit per process can pass. No request is held up for more than 100 ms. It recovers by itself.',
  allow: 'Everything passes until it is back.',
  deny: 'Every request is refused with 503 until it is back.',
}

export const outageWords = ({ name, onFailure, awayFromMs }) => ({
  title: `${storeName(name)} has not answered since ${clock(awayFromMs / 1000)}`,
  text: meanwhile[onFailure],
})

/** "tiger / visitor"; only "tiger" where the policy has no name of its own. */
export const policyName = ({ limiter, policy }) => (policy === '' ? limiter : `${limiter} / ${policy}`)

/** What a chart shows, for whoever cannot see it. */
export function chartWords(facts, { admitted, refused, most }, spanSeconds) {
  const told = `${policyName(facts)}: in ${longSpans[spanSeconds]} ${count(admitted)} admitted, ${count(refused)} refused (${share(refused, admitted + refused)} %)`
  return `${told}, ${mostLabel(facts)} ${count(most)} ${mostUnit(facts)}.`
}

export const mostLabel = ({ shade, windowSeconds }) =>
  shade === 'inside' ? 'most at once' : `most in ${windowWords(windowSeconds)}`

const windowWords = (seconds) => (seconds < 1 ? `${Math.round(seconds * 1000)} ms` : elapsed(seconds * 1000))

export function mostUnit({ limit, manyKeys }) {
  if (limit !== null) return `of ${count(limit)}`
  return manyKeys ? 'all keys' : 'no limit'
}

/** How a key stands, `elapsedMs` after it was told. Where one is full it is not always known until when. */
export function keyState({ againInMs, blockedMs, used, limit }, elapsedMs) {
  if (blockedMs !== null) return { text: `blocked for ${wholeWait(blockedMs - elapsedMs)}`, over: true }
  if (againInMs !== null) return { text: `again in ${shortWait(againInMs - elapsedMs)}`, over: true }
  return used < limit ? { text: `${count(limit - used)} left`, over: false } : { text: 'full', over: true }
}

export const whoWords = (entries) => {
  const named = entries.slice(0, 3).map(({ note, units }) => `${note} ${count(units)}`)
  if (entries.length > 3) named.push(`${count(entries.length - 3)} more`)
  return named.join(', ')
}

export const actDone = { block: 'Blocked.', unblock: 'Let in again.', reset: 'Reset.' }

/** Why an act could not be done, where the server has not said it itself; 0 is the status of no answer. */
export const actFailure = (status) =>
  status === 0 ? 'No answer from the server. Try again.' : `The server answered with ${status}.`
