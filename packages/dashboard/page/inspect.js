// Inspects one key, and blocks, unblocks or resets it, if the server permits that.
import { byId, copyOf, setText } from './dom.js'
import { count, shortWait, wholeWait } from './numbers.js'
import { actionDone, actionFailure, policyName, whoWords } from './words.js'

let dialog = null
let current = null

/** Asks the server about a key and shows the answer. */
export async function inspect(key) {
  dialog ??= makeDialog()
  current = key
  setText(byId('h-inspect'), key.key)
  setText(byId('inspect-policy'), policyName(key))
  setText(byId('inspect-said'), '')
  show(null)
  dialog.showModal()
  await look(key)
}

function makeDialog() {
  const node = copyOf('inspecting')
  document.body.append(node)
  byId('close').addEventListener('click', () => node.close())
  node.addEventListener('close', () => {
    current = null
  })
  for (const button of node.querySelectorAll('[data-action]')) {
    button.addEventListener('click', () => void runAction(button.dataset.action))
  }
  return node
}

async function look(key) {
  const { failure, body } = await post('inspect', { id: key.id })
  if (key !== current) return
  if (failure === null) show(body)
  else say(failure)
}

async function runAction(name) {
  const key = current
  const seconds = Number(byId('block-for').value)
  enableActions(false)
  const { failure } = await post(name, name === 'block' ? { id: key.id, seconds } : { id: key.id })
  if (key !== current) return
  say(failure ?? actionDone[name])
  if (failure === null) await look(key)
  else enableActions(true)
}

/** Resolves to the failure, null if there was none, and the result of `inspect`. */
async function post(name, action) {
  const headers = { 'Content-Type': 'application/json' }
  try {
    const answer = await fetch(name, { method: 'POST', headers, body: JSON.stringify(action) })
    const body = await answer.json().catch(() => null)
    return { failure: answer.ok ? null : (body?.detail ?? actionFailure(answer.status)), body }
  } catch {
    return { failure: actionFailure(0), body: null }
  }
}

/** null: nothing is known yet. */
function show(seen) {
  if (seen === null) {
    for (const fact of dialog.querySelectorAll('dd')) setText(fact, '–')
    enableActions(false)
    return
  }
  const { strategy, used, limit, allFreeInMs, blockedMs, entries } = seen
  setText(byId('inspect-policy'), [policyName(seen), strategy].filter(Boolean).join(', '))
  setText(byId('inspect-used'), `${count(used)} of ${count(limit)}`)
  setText(byId('inspect-again'), againWords(seen))
  setText(byId('inspect-free'), allFreeInMs > 0 ? shortWait(allFreeInMs) : 'now')
  setText(byId('inspect-blocked'), blockedMs === null ? 'no' : `for ${wholeWait(blockedMs)}`)
  setText(byId('inspect-who'), whoWords(entries))
  for (const id of ['inspect-who', 'inspect-who-label']) byId(id).hidden = entries.length === 0
  enableActions(true)
  byId('unblock').disabled = blockedMs === null
}

const againWords = ({ againInMs, used, limit }) => {
  if (againInMs !== null) return shortWait(againInMs)
  return used < limit ? 'now' : 'never'
}

const say = (text) => setText(byId('inspect-said'), text)

function enableActions(may) {
  for (const button of dialog.querySelectorAll('[data-action]')) button.disabled = !may
}
