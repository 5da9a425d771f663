// The events of the last 24 hours, the newest first.
import { byId, copyOf, keyedList, setAttribute, setText } from './dom.js'
import { clock } from './numbers.js'
import { exactWords } from './words.js'

const list = keyedList(byId('events'), {
  keyOf: ({ atMs, title, text }) => JSON.stringify([atMs, title, text]),
  make: makeLine,
  fill: () => {},
})

export function showEvents({ events }) {
  byId('events').hidden = events.length === 0
  byId('no-events').hidden = events.length > 0
  list(events)
}

function makeLine(event) {
  const { atMs, mark, title, text } = event
  const node = copyOf('event')
  const time = node.querySelector('time')
  setText(time, clock(atMs / 1000))
  setAttribute(time, 'datetime', new Date(atMs).toISOString())
  const dot = node.querySelector('.dot')
  dot.hidden = mark === ''
  if (mark !== '') dot.classList.add(mark)
  setText(node.querySelector('.title'), title)
  setText(node.querySelector('p'), `${text}${exactWords(event)}`)
  return { node }
}
