// The sentences of the page that do not come from the server.
import { clock, count, elapsed, rate, share, shortWait, wholeWait } from './numbers.js'

export const spanWords = { 60: '1 min', 300: '5 min', 900: '15 min', 3600: '1 h' }

const longSpans = { 60: '1 minute', 300: '5 minutes', 900: '15 minutes', 3600: '1 hour' }

/** The first half is read aloud, the second only shown because it changes every second. */
export const lostWords = (lastSeconds, retryInMs) => [
  lastSeconds === null
    ? 'Not live. No answer from the server,'
    : `Not live. Last seen at ${clock(lastSeconds)},`,
  retryInMs > 0 ? ` trying again in ${wholeWait(retryInMs)}.` : ' trying again.',
]

export const pausedWords = (seconds) => (seconds === null ? 'Paused' : `Paused at ${clock(seconds)}`)

/** Of a tab: "12 refusing · Sluice dashboard". */
export function titleWords(link, state) {
  const what = mattersMost(link, state)
  return what === '' ? 'Sluice dashboard' : `${what} · Sluice dashboard`
}

function mattersMost({ paused, retryAtMs }, { store, totals }) {
  if (paused) return 'Paused'
  if (retryAtMs !== null) return 'Not live'
  if (store !== null && store.awayFromMs !== null) return `${storeName(store.name)} does not answer`
  const refusing = totals?.refusingNow ?? 0
  return refusing === 0 ? '' : `${count(refusing)} refusing`
}

const storeName = (name) => (/^[a-z]/.test(name) ? name[0].toUpperCase() + name.slice(1) : name)

/** The units of each kind of request over the span: "export 200, write 40". */
export const groupWords = (groups) => groups.map(([name, units]) => `${name} ${count(units)}`).join(', ')

/** The state of the store, in one sentence. */
export function storeState({ name, status }) {
  if (status === 'down') return `${storeName(name)} does not answer`
  if (name === '') return 'Not known to this page'
  if (name === 'memory') return 'Counting in memory'
  return status === 'ok' ? `${storeName(name)} answers` : `${storeName(name)} answers intermittently`
}

const meanwhile = {
  local:
    'Each process counts on its own with the same limits, so up to one limit per process can pass. No request waits longer than 100 ms. It recovers automatically.',
  allow: 'Everything passes until it is back.',
  deny: 'Every request is refused with 503 until it is back.',
  mixed:
    'Limiters differ, as their onStoreFailure says: some count in each process, some let everything pass, or refuse everything with 503, until it is back.',
}

export const outageWords = ({ name, onFailure, awayFromMs }) => ({
  title: `${storeName(name)} has not answered since ${clock(awayFromMs / 1000)}`,
  text: meanwhile[onFailure],
})

/** Behind the end of an outage: from when counts are exact again. */
export function exactWords({ atMs, exactAtMs }) {
  if (exactAtMs === undefined) return ''
  if (exactAtMs <= atMs) return ' Counts exact again at once.'
  const second = Math.ceil(exactAtMs / 1000)
  return ` Counts exact again at ${clock(second)}${dayWords(second, atMs / 1000)}.`
}

/** " on 24 Nov", if that is another day. */
function dayWords(second, reference) {
  const [day, other] = [second, reference].map((time) => dates.format(new Date(time * 1000)))
  return day === other ? '' : ` on ${day}`
}

const dates = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })

/** "tiger / visitor"; only "tiger" if the policy has no name. */
export const policyName = ({ limiter, policy }) => (policy === '' ? limiter : `${limiter} / ${policy}`)

/** Where an address has asked for one policy, or for all of a limiter. */
export const onlyWords = ({ limiter, policy }) =>
  `Only ${[limiter, policy === 'default' ? null : policy].filter((name) => name !== null).join(' / ')}`

/** Policies without a row of their own: this page would need too much of the server's memory for them. */
export const cutWords = (policies) =>
  `${count(policies)} more ${policies === 1 ? 'policy is' : 'policies are'} added up in the row “other”.`

/** What a chart shows, for screen readers. */
export function chartWords(info, { admitted, refused, most }, spanSeconds) {
  const text = `${policyName(info)}: in ${longSpans[spanSeconds]} ${count(admitted)} admitted, ${count(refused)} refused (${share(refused, admitted + refused)} %)`
  return `${text}, ${mostLabel(info)} ${count(most)} ${mostUnit(info)}.`
}

/** More policies than these would be too much to listen to. */
const mostSaid = 5

/** What the rows show at the cursor, for screen readers: those that had requests. */
export function cursorWords(rows, { second, stepSeconds }) {
  const busy = rows.filter(({ admitted, refused }) => admitted > 0 || refused > 0)
  const each = stepSeconds === 1 ? '' : ' a second'
  const said = busy
    .slice(0, mostSaid)
    .map(
      ({ info, admitted, refused }) =>
        `${policyName(info)}: ${rate(admitted, stepSeconds)} admitted, ${rate(refused, stepSeconds)} refused${each}.`,
    )
  if (busy.length === 0) said.push('No requests.')
  const more = busy.length - mostSaid
  if (more > 0) said.push(`${count(more)} more ${more === 1 ? 'policy' : 'policies'} with requests.`)
  return [`At ${clock(second)}.`, ...said].join(' ')
}

export function mostLabel({ shade, windowSeconds, manyKeys }) {
  if (shade === 'in-flight') return 'most at once'
  return manyKeys ? 'fullest key' : `most in ${windowWords(windowSeconds)}`
}

const windowWords = (seconds) => (seconds < 1 ? `${Math.round(seconds * 1000)} ms` : elapsed(seconds * 1000))

export const mostUnit = ({ limit }) => (limit === null ? 'no limit' : `of ${count(limit)}`)

/** The state of a key, `elapsedMs` after it was received. For a full key the end is not always known. */
export function keyState({ againInMs, blockedMs, used, limit, gone = false }, elapsedMs) {
  if (gone) return { text: 'not listed any more', over: false }
  if (blockedMs !== null) return { text: `blocked for ${wholeWait(blockedMs - elapsedMs)}`, over: true }
  if (againInMs !== null) return { text: `again in ${shortWait(againInMs - elapsedMs)}`, over: true }
  return used < limit ? { text: `${count(limit - used)} left`, over: false } : { text: 'full', over: true }
}

export const whoWords = (entries) => {
  const named = entries.slice(0, 3).map(({ note, units }) => `${note} ${count(units)}`)
  if (entries.length > 3) named.push(`${count(entries.length - 3)} more`)
  return named.join(', ')
}

/** When a request for one unit passes, `elapsedMs` after the server said so. */
export function nextWords({ nextInMs }, elapsedMs) {
  if (nextInMs === null) return 'never'
  return nextInMs <= elapsedMs ? 'now' : `in ${shortWait(nextInMs - elapsedMs)}`
}

export const fullWords = ({ fullInMs }, elapsedMs) =>
  fullInMs <= elapsedMs ? 'now' : `in ${shortWait(fullInMs - elapsedMs)}`

export function blockWords({ blockedMs, banned }, elapsedMs) {
  if (blockedMs === null || blockedMs <= elapsedMs) return 'no'
  return `${banned ? 'banned, ' : ''}for ${wholeWait(blockedMs - elapsedMs)}`
}

const lists = {
  allow: 'allow list: admitted without a count',
  deny: 'deny list: never admitted',
  block: 'refuse list: refused until it ends',
}

/** The list that decides about a key. */
export const listWords = ({ listed }) => lists[listed] ?? ''

/** What an action will do, asked before it does it: the words around the key. */
export const actionQuestion = {
  block: (time) => ['Block', ` for ${time}?`],
  unblock: () => ['Unblock', '? It may pass as its count allows.'],
  reset: () => ['Reset', '? Its count and any block are forgotten.'],
}

export const foundWords = (keys) =>
  keys === 0
    ? 'No known key matches. Look up asks for exactly this key.'
    : `${count(keys)} ${keys === 1 ? 'key' : 'keys'} found`

export const actionDone = { block: 'Blocked.', unblock: 'Unblocked.', reset: 'Reset.' }

/** Why an action failed, if the server did not say; 0 is the status of no answer. */
export const actionFailure = (status) =>
  status === 0 ? 'No answer from the server. Try again.' : `The server answered with ${status}.`
