// One key looked at closely, and blocked, let in again or reset: only where the server allows it.
import { byId, copyOf, setText } from './dom.js'
import { count, shortWait, wholeWait } from './numbers.js'
import { actDone, actFailure, policyName, whoWords } from './words.js'

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
  for (const button of node.querySelectorAll('[data-act]')) {
    button.addEventListener('click', () => void act(button.dataset.act))
  }
  return node
}

async function look(key) {
  const { status, body } = await post('inspect', { id: key.id })
  if (key !== current) return
  if (body === null) say(actFailure(status))
  else show(body)
}

async function act(name) {
  const key = current
  const seconds = Number(byId('block-for').value)
  letAct(false)
  const { status, done } = await post(name, name === 'block' ? { id: key.id, seconds } : { id: key.id })
  if (key !== current) return
  say(done ? actDone[name] : actFailure(status))
  await look(key)
}

/** Answers the status, 0 where there was no answer, whether it is done, and the JSON of `inspect`. */
async function post(name, act) {
  const headers = { 'Content-Type': 'application/json' }
  try {
    const answer = await fetch(name, { method: 'POST', headers, body: JSON.stringify(act) })
    const body = answer.ok && name === 'inspect' ? await answer.json() : null
    return { status: answer.status, done: answer.ok, body }
  } catch {
    return { status: 0, done: false, body: null }
  }
}

/** Null: nothing is known yet. */
function show(seen) {
  if (seen === null) {
    for (const fact of dialog.querySelectorAll('dd')) setText(fact, '–')
    letAct(false)
    return
  }
  const { strategy, used, limit, againInMs, allFreeInMs, blockedMs, entries } = seen
  setText(byId('inspect-policy'), [policyName(seen), strategy].filter(Boolean).join(', '))
  setText(byId('inspect-used'), `${count(used)} of ${count(limit)}`)
  setText(byId('inspect-again'), againInMs === null ? 'now' : shortWait(againInMs))
  setText(byId('inspect-free'), allFreeInMs > 0 ? shortWait(allFreeInMs) : 'now')
  setText(byId('inspect-blocked'), blockedMs === null ? 'no' : `for ${wholeWait(blockedMs)}`)
  setText(byId('inspect-who'), whoWords(entries))
  for (const id of ['inspect-who', 'inspect-who-label']) byId(id).hidden = entries.length === 0
  letAct(true)
  byId('unblock').disabled = blockedMs === null
}

const say = (text) => setText(byId('inspect-said'), text)

function letAct(may) {
  for (const button of dialog.querySelectorAll('[data-act]')) button.disabled = !may
}
