// Finds a key among all that are known, and inspects one that is typed in, if the server permits that.
import { byId, setText } from './dom.js'
import { post } from './post.js'
import { foundWords, policyName } from './words.js'

const waitMs = 200

/**
 * Returns `{ keysOf, lookFor }`: `keysOf(state)` answers the keys to show and when they were received, those found or those that the
 * server sends; `lookFor(text)` looks as if it had been typed.
 */
export function keyFinder({ inspect, changed }) {
  const field = byId('find')
  const choice = byId('find-in')
  let span = 300
  /** `{ keys, atMs }`; null while nothing is looked for. */
  let found = null
  let waiting = null
  let boot = null
  let sent = null

  async function look() {
    waiting = null
    const text = field.value.trim()
    const { failure, body } = await post('find', { text, span })
    if (field.value.trim() !== text) return
    setText(byId('found'), failure ?? (text === '' ? '' : foundWords(body.keys.length)))
    if (failure !== null) return
    offer(choice, body.limiters)
    found = text === '' ? null : { keys: body.keys, atMs: performance.now() }
    changed()
  }

  /** Once for several letters. */
  function lookSoon() {
    if (waiting === null) waiting = setTimeout(() => void look(), waitMs)
  }

  function lookFor(text) {
    field.value = text
    field.focus()
    lookSoon()
  }

  function typed(event) {
    event.preventDefault()
    const text = field.value.trim()
    const option = choice.selectedOptions[0]
    if (text === '' || option === undefined) return
    const { limiter, policy, path } = JSON.parse(option.value)
    inspect({ limiter, policy, key: text, typed: keyOf(text, path) })
  }

  field.addEventListener('input', lookSoon)
  byId('finding').addEventListener('focusin', lookSoon)
  byId('finding').addEventListener('submit', typed)
  function keysOf({ hello, keys, keysAtMs }) {
    span = hello?.spanSeconds ?? span
    const may = hello?.mayManage === true
    byId('finding').hidden = !may
    // A new server has other limiters, and what was found changes as the list does.
    if (may && (boot !== hello.boot || (found !== null && sent !== keys))) lookSoon()
    boot = hello?.boot
    sent = keys
    return may && found !== null ? found : { keys, atMs: keysAtMs }
  }

  return { keysOf, lookFor }
}

/** A list is written as JSON; a path also with slashes. */
function keyOf(text, isPath) {
  if (text.startsWith('[')) {
    const list = parsed(text)
    if (Array.isArray(list)) return list
  }
  return isPath ? text.split('/').map((name) => name.trim()) : text
}

function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** What is chosen stays chosen. */
function offer(choice, limiters) {
  const options = limiters.flatMap(({ name, policies }) =>
    (policies ?? ['']).map((policy) => ({ limiter: name, policy, path: policies === null })),
  )
  const values = options.map((option) => JSON.stringify(option))
  if ([...choice.options].map(({ value }) => value).join() === values.join()) return
  const { value } = choice
  choice.replaceChildren(...options.map((option, i) => new Option(policyName(option), values[i])))
  if (values.includes(value)) choice.value = value
}
