// The keys that are nearest to their limit, and those beyond it.
import { byId, copyOf, keyedList, setAttribute, setText } from './dom.js'
import { count } from './numbers.js'
import { keyState, policyName, spanWords } from './words.js'

/** Returns `show(state)`. `inspect(key)` is called when the user clicks Inspect. */
export function keyTable({ inspect }) {
  const list = keyedList(byId('key-list'), {
    keyOf: ({ key, mayManage }) => `${mayManage} ${key.id}`,
    make: ({ key, mayManage }) => makeLine(key, mayManage ? inspect : null),
    fill: fillLine,
  })
  return (state) => {
    const { hello, keys } = state
    const mayManage = hello?.mayManage === true
    byId('keys').hidden = keys.length === 0
    byId('no-keys').hidden = keys.length > 0
    byId('acting').hidden = !mayManage
    byId('masked').hidden = hello?.maskKeys !== true
    setText(byId('refused-in'), `Refused in ${spanWords[hello?.spanSeconds ?? 300]}`)
    const elapsedMs = performance.now() - state.keysAtMs
    list(keys.map((key) => ({ key, elapsedMs, mayManage })))
  }
}

function makeLine(key, inspect) {
  const node = copyOf('key')
  const part = (selector) => node.querySelector(selector)
  const line = {
    node,
    key,
    meter: part('.meter'),
    bar: part('rect'),
    value: part('.value'),
    unit: part('.unit'),
    state: part('.state'),
    refused: part('.refused-units'),
  }
  setText(part('.policy'), policyName(key))
  setText(part('.key span'), key.key)
  if (inspect === null) part('.act').remove()
  else offerInspect(line, part('button'), inspect)
  return line
}

function offerInspect(line, button, inspect) {
  setAttribute(button, 'aria-label', `Inspect ${line.key.key} of ${policyName(line.key)}`)
  button.addEventListener('click', () => inspect(line.key))
}

function fillLine(line, { key, elapsedMs }) {
  const { meter, bar, state } = line
  const { used, limit } = key
  line.key = key
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
