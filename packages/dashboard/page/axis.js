// The one axis of time above all rows: when it was, and when the store was away.
import { byId } from './dom.js'
import { clock, hourAndMinute } from './numbers.js'

const svg = 'http://www.w3.org/2000/svg'

/** Seconds between the lines of the grid, by the span shown: on a phone fewer of them. */
const gridSeconds = { 60: [10, 20], 300: [60, 60], 900: [180, 300], 3600: [600, 1200] }

export const gridStep = (spanSeconds, narrow) => gridSeconds[spanSeconds][narrow ? 1 : 0]

/** `gutter`: px at the left of the charts; `narrow`: on a phone. */
export function showAxis({ from, to, outages }, { gutter, narrow }) {
  const axis = byId('axis')
  const span = to - from
  const at = (second) => `${(100 * (second - from)) / span}%`
  const every = gridStep(span, narrow)
  const words = every < 60 ? clock : hourAndMinute
  const marks = []
  // The last word is "now", and the first must not stand out at the left.
  for (
    let second = Math.ceil(from / every) * every;
    second <= to - span * (narrow ? 0.15 : 0.05);
    second += every
  ) {
    if (second - from > span * 0.03) marks.push(element('text', { x: at(second), y: 12 }, words(second)))
  }
  marks.push(element('text', { class: 'end', x: '100%', y: 12 }, 'now'))
  for (const [start, end] of outages) {
    const [x1, x2] = [Math.max(start, from), Math.min(end ?? to, to)]
    if (x1 < x2) marks.push(element('line', { x1: at(x1), x2: at(x2), y1: 19, y2: 19 }))
  }
  axis.setAttribute('x', gutter)
  axis.setAttribute('width', Math.max(10, axis.parentElement.clientWidth - gutter))
  axis.replaceChildren(...marks)
}

function element(name, attributes, text = '') {
  const node = document.createElementNS(svg, name)
  for (const [attribute, value] of Object.entries(attributes)) node.setAttribute(attribute, value)
  node.textContent = text
  return node
}
