// Where the traffic comes from: a drawing, text, or the sample log.
import { columnLengths, shapes } from '../src/playground/drawn.ts'
import { offeredOf } from '../src/playground/lanes.ts'
import { byId, setText } from './dom.js'
import { startDrawing } from './drawing.js'
import { count } from './numbers.js'
import { sinceBegin } from './time-axis.js'

const ownShape = 'own'

export function startTraffic(changed) {
  let shown
  /** Whether the scale of the drawing follows what is shown: not while somebody draws. */
  let fits = true
  /** What each kind last was, so that looking at another loses nothing. */
  const kept = {
    drawn: { kind: 'drawn', columnMs: 1000, columns: shapes.border.columns },
    pasted: { kind: 'pasted', text: '' },
    sample: { kind: 'sample' },
  }
  const drawing = startDrawing(byId('drawing'), (columns) => {
    fits = false
    changed({ ...kept.drawn, columns })
  })
  const [shape, length, highest] = ['shape', 'column-length', 'highest'].map(byId)
  const clients = byId('clients')

  for (const [name, { title }] of Object.entries(shapes)) shape.append(new Option(title, name))
  shape.append(new Option('As you draw it', ownShape))
  for (const ms of columnLengths) length.append(new Option(sinceBegin(ms / 1000), ms))

  shape.addEventListener('change', () => {
    fits = true
    if (shape.value !== ownShape) changed({ ...kept.drawn, columns: shapes[shape.value].columns })
  })
  length.addEventListener('change', () => changed({ ...kept.drawn, columnMs: Number(length.value) }))
  clients.addEventListener('change', () => {
    const { isCrowd: _, ...drawn } = kept.drawn
    changed(clients.value === '3' ? { ...drawn, isCrowd: true } : drawn)
  })
  highest.addEventListener('input', () => drawing.setTop(Number(highest.value)))
  byId('pasted').addEventListener('input', ({ target }) => changed({ kind: 'pasted', text: target.value }))
  byId('traffic-kind').addEventListener('change', ({ target }) => {
    fits = true
    changed(kept[target.value])
  })

  /** Shows the controls of this kind. */
  function showKind(traffic) {
    kept[traffic.kind] = traffic
    shown = traffic.kind
    byId('traffic-kind').querySelector(`[value=${shown}]`).checked = true
    for (const part of document.querySelectorAll('[data-for]')) part.hidden = part.dataset.for !== shown
    if (shown === 'pasted' && byId('pasted').value !== traffic.text) byId('pasted').value = traffic.text
    if (shown !== 'drawn') return
    const columns = String(traffic.columns)
    const known = Object.keys(shapes).find((name) => String(shapes[name].columns) === columns)
    shape.value = known ?? ownShape
    length.value = traffic.columnMs
    clients.value = traffic.isCrowd ? '3' : '1'
  }

  return {
    show(traffic, asked) {
      showKind(traffic)
      const { unread = 0 } = asked
      setText(byId('traffic-problem'), unreadWords(unread))
      setText(byId('offered'), count(asked.arrivals.length))
      setText(byId('keys'), count(new Set(asked.arrivals.map(({ key }) => key)).size))
      const isEditable = shown === 'drawn'
      drawing.show(offeredOf(asked), { step: asked.axis.stepUs / 1e6, isEditable, fits: fits || !isEditable })
      if (isEditable) highest.value = drawing.top()
    },
    fail(traffic, problem) {
      showKind(traffic)
      setText(byId('traffic-problem'), problem)
    },
  }
}

function unreadWords(lines) {
  if (lines === 0) return ''
  return `${lines === 1 ? '1 line has' : `${count(lines)} lines have`} no time that can be read.`
}
