// Inspects one key: what it has used and when it may pass again, counted down while the dialog is open.
import { offerActions } from './acting.js'
import { byId, copyOf, setText } from './dom.js'
import { count } from './numbers.js'
import { post } from './post.js'
import { actionDone, blockWords, fullWords, listWords, nextWords, policyName, whoWords } from './words.js'

const tickMs = 200
let dialog = null
let actions = null
let ticking = null
/** The key in the dialog. */
let current = null
/** What the server said of it, and when, by this page's clock; null until it has. */
let seen = null
let seenAtMs = 0
let told = () => {}

/** `listener` gets the key in the dialog, as an action names it, and null when the dialog is closed. */
export function tellOfKey(listener) {
  told = listener
}

/** A key of which an address says no more than how an action names it. */
export function inspectNamed({ id, limiter, policy = '', key }) {
  if (typeof id === 'string') return inspect({ id, limiter: '', policy: '', key: 'Key' })
  return inspect({ limiter, policy, key: [key].flat().join(' / '), typed: key })
}

/** Asks the server about a key and shows the answer. */
export async function inspect(key) {
  dialog ??= makeDialog()
  current = key
  setText(byId('h-inspect'), key.key)
  setText(byId('inspect-policy'), policyName(key))
  say('')
  forget()
  dialog.showModal()
  ticking ??= setInterval(tick, tickMs)
  await look(key)
}

function makeDialog() {
  const node = copyOf('inspecting')
  document.body.append(node)
  byId('close').addEventListener('click', () => node.close())
  node.addEventListener('close', close)
  actions = offerActions(node, {
    shown: () => ({ key: current.key, policy: policyName(current) }),
    run: runAction,
  })
  return node
}

function close() {
  current = null
  told(null)
  clearInterval(ticking)
  ticking = null
  actions.stop()
}

/** The server may now know what it did not. */
export function lookAgain() {
  if (current === null) return
  say('')
  void look(current)
}

async function look(key) {
  const { failure, body } = await post('inspect', namedBy(key))
  if (key !== current) return
  if (failure === null) show(body)
  else say(failure)
}

async function runAction(name, seconds) {
  const key = current
  const { failure } = await post(name, name === 'block' ? { ...namedBy(key), seconds } : namedBy(key))
  if (key !== current) return
  say(failure ?? actionDone[name])
  if (failure === null) await look(key)
  else actions.allow(() => true)
}

/** How an action names a key: as it was typed in, or by the id that the server gave it. */
const namedBy = ({ id, limiter, policy, typed }) =>
  typed === undefined ? { id } : { limiter, policy, key: typed }

/** Nothing is known yet. */
function forget() {
  seen = null
  for (const fact of dialog.querySelectorAll('dd')) setText(fact, '–')
  hideFact('inspect-listed', true)
  actions.allow(() => false)
}

function show(answer) {
  seen = answer
  seenAtMs = performance.now()
  const { key, whole, limiter, policy, strategy, used, limit, blockedMs, entries, listed } = answer
  Object.assign(current, { key, limiter, policy })
  told(whole === null ? { id: current.id } : { limiter, policy, key: whole })
  setText(byId('h-inspect'), key)
  setText(byId('inspect-policy'), [policyName(answer), strategy].filter(Boolean).join(', '))
  setText(byId('inspect-used'), `${count(used)} of ${count(limit)}`)
  setText(byId('inspect-who'), whoWords(entries))
  setText(byId('inspect-listed'), listWords(answer))
  hideFact('inspect-who', entries.length === 0)
  hideFact('inspect-listed', listed === null)
  showTimes(0)
  actions.allow((name) => name !== 'unblock' || blockedMs !== null)
}

function hideFact(id, hidden) {
  for (const part of [id, `${id}-label`]) byId(part).hidden = hidden
}

function showTimes(elapsedMs) {
  setText(byId('inspect-next'), nextWords(seen, elapsedMs))
  setText(byId('inspect-full'), fullWords(seen, elapsedMs))
  setText(byId('inspect-blocked'), blockWords(seen, elapsedMs))
}

/** Where a time has come, the server knows what is true now. */
function tick() {
  if (seen === null) return
  const elapsedMs = performance.now() - seenAtMs
  showTimes(elapsedMs)
  const { nextInMs, fullInMs, blockedMs } = seen
  const due = (ms) => ms !== null && ms > 0 && ms <= elapsedMs
  if (!due(nextInMs) && !due(fullInMs) && !due(blockedMs)) return
  seenAtMs = performance.now()
  seen = {
    ...seen,
    nextInMs: after(nextInMs, elapsedMs),
    fullInMs: after(fullInMs, elapsedMs),
    blockedMs: after(blockedMs, elapsedMs),
  }
  void look(current)
}

/** What is left of a time; null where there was none. */
const after = (ms, elapsedMs) => (ms === null ? null : Math.max(0, ms - elapsedMs))

const say = (text) => setText(byId('inspect-said'), text)
