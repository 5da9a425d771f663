// One key looked at closely, and blocked, let in again or reset: only where the server allows it.
import { byId, setText } from './dom.js'
import { count, shortWait, wholeWait } from './numbers.js'
import { actFailures, policyName, whoWords } from './words.js'

const dialog = byId('inspect')
const buttons = [...dialog.querySelectorAll('[data-act]')]
let current = null

/** Asks the server about a key and shows the answer. */
export async function inspect(key) {
  current = key
  setText(byId('h-inspect'), key.key)
  setText(byId('inspect-policy'), policyName(key))
  show(null)
  setText(byId('inspect-said'), '')
  dialog.showModal()
  await look(key)
}

async function look(key) {
  const { status, body } = await post('inspect', { id: key.id })
  if (key !== current) return
  if (body === null) say(failure(status))
  else show(body)
}

async function act(name) {
  const key = current
  const seconds = Number(byId('block-for').value)
  for (const button of buttons) button.disabled = true
  const { status } = await post(name, name === 'block' ? { id: key.id, seconds } : { id: key.id })
  if (key !== current) return
  say(status < 300 && status > 0 ? doneWords[name] : failure(status))
  await look(key)
}

const doneWords = { block: 'Blocked.', unblock: 'Let in again.', reset: 'Reset.' }

const say = (text) => setText(byId('inspect-said'), text)

const failure = (status) => actFailures[status] ?? `The server answered with ${status}.`

/** Answers the status, 0 where there was no answer, and the JSON of a good one. */
async function post(name, act) {
  const headers = { 'Content-Type': 'application/json' }
  try {
    const answer = await fetch(name, { method: 'POST', headers, body: JSON.stringify(act) })
    const body = answer.ok && answer.status !== 204 ? await answer.json() : null
    return { status: answer.status, body }
  } catch {
    return { status: 0, body: null }
  }
}

/** Null: nothing is known yet. */
function show(seen) {
  const { strategy, used, limit, againInMs, allFreeInMs, blockedMs, entries } = seen ?? {}
  const fact = (id, text) => setText(byId(id), seen === null ? '–' : text())
  if (seen !== null) setText(byId('inspect-policy'), [policyName(seen), strategy].filter(Boolean).join(', '))
  fact('inspect-used', () => `${count(used)} of ${count(limit)}`)
  fact('inspect-again', () => (againInMs === null ? 'now' : shortWait(againInMs)))
  fact('inspect-free', () => (allFreeInMs > 0 ? shortWait(allFreeInMs) : 'all free'))
  fact('inspect-blocked', () => (blockedMs === null ? 'no' : `for ${wholeWait(blockedMs)}`))
  fact('inspect-who', () => whoWords(entries))
  for (const id of ['inspect-who', 'inspect-who-label']) byId(id).hidden = !(entries?.length > 0)
  for (const button of buttons) button.disabled = seen === null
  if (blockedMs === null) dialog.querySelector('[data-act=unblock]').disabled = true
}

byId('close').addEventListener('click', () => dialog.close())
dialog.addEventListener('close', () => {
  current = null
})
for (const button of buttons) button.addEventListener('click', () => void act(button.dataset.act))
