// The keys that are nearest to their limit, and those beyond it.
import { byId, copyOf, keyedList, setAttribute, setText } from './dom.js'
import { keyFinder } from './finding.js'
import { count } from './numbers.js'
import { keyState, policyName, spanWords } from './words.js'

/** Returns `show(state)`. `inspect(key)` is called when the user clicks Inspect, `changed()` when other keys have been found. */
export function keyTable({ inspect, changed }) {
  const find = keyFinder({ inspect, changed })
  const list = keyedList(byId('key-list'), {
    keyOf: ({ key, mayManage }) => `${mayManage} ${key.id}`,
    make: ({ key, mayManage }) => makeLine(key, mayManage ? open : null),
    fill: fillLine,
  })
  /** A network is no key: those of it are. */
  const open = (key) => (key.within === null ? inspect(key) : find.lookFor(key.within))
  const table = byId('keys')
  let shown = []
  return (state) => {
    const { hello } = state
    const listed = find.keysOf(state)
    const held = shown.length > 0 && isInUse(table)
    const keys = held ? inTheirPlaces(shown, listed.keys) : listed.keys
    shown = keys
    byId('held').hidden = !held
    const mayManage = hello?.mayManage === true
    table.hidden = keys.length === 0
    byId('no-keys').hidden = keys.length > 0
    byId('acting').hidden = !mayManage
    byId('masked').hidden = hello?.maskKeys !== true
    setText(byId('refused-in'), `Refused in ${spanWords[hello?.spanSeconds ?? 300]}`)
    const elapsedMs = performance.now() - listed.atMs
    list(keys.map((key) => ({ key, elapsedMs, mayManage })))
  }
}

/** Whoever points at a key, or has come to it by keyboard, must find it where it was. */
const isInUse = (table) =>
  table.matches(':hover') ||
  table.contains(document.activeElement) ||
  document.querySelector('dialog[open]') !== null

/** Enough for any screen while new keys go on coming. */
const mostHeld = 60

/** The keys that are shown keep their places, also those that the server does not list any more; new ones come last. */
function inTheirPlaces(shown, listed) {
  const fresh = new Map(listed.map((key) => [key.id, key]))
  const kept = shown.map((key) => fresh.get(key.id) ?? { ...key, gone: true })
  for (const { id } of kept) fresh.delete(id)
  return [...kept, ...fresh.values()].slice(0, mostHeld)
}

function makeLine(key, open) {
  const node = copyOf('key')
  const part = (selector) => node.querySelector(selector)
  const line = {
    node,
    key,
    text: part('.key bdi'),
    meter: part('.meter'),
    bar: part('rect'),
    value: part('.value'),
    unit: part('.unit'),
    state: part('.state'),
    refused: part('.refused-units'),
  }
  setWhole(part('.policy bdi'), policyName(key))
  if (open === null) part('.act').remove()
  else offer(line, part('button'), open)
  return line
}

/** A text that is cut where it is long. */
function setWhole(node, text) {
  setText(node, text)
  setAttribute(node, 'title', text)
}

function offer(line, button, open) {
  const { key, within } = line.key
  const name = policyName(line.key)
  if (within !== null) setText(button, 'Show')
  setAttribute(
    button,
    'aria-label',
    within === null ? `Inspect ${key} of ${name}` : `Show the keys of ${name} that begin with ${within}`,
  )
  button.addEventListener('click', () => open(line.key))
}

function fillLine(line, { key, elapsedMs }) {
  const { meter, bar, state } = line
  const { used, limit } = key
  line.key = key
  // More keys of a network may come.
  setWhole(line.text, key.key)
  const of = `${count(used)} of ${count(limit)}`
  meter.classList.toggle('full', used >= limit)
  setAttribute(meter, 'aria-label', `${policyName(key)}, ${key.key}: ${of} used`)
  setAttribute(meter, 'aria-valuemax', limit)
  setAttribute(meter, 'aria-valuenow', Math.min(used, limit))
  setAttribute(bar, 'width', `${limit === 0 ? 100 : Math.min(100, (100 * used) / limit)}%`)
  setText(line.value, count(used))
  setText(line.unit, `of ${count(limit)}`)
  const { text, over } = keyState(key, elapsedMs)
  setText(state, text)
  state.className = `state ${over ? 'over' : 'quiet'}`
  setText(line.refused, count(key.refused))
}
