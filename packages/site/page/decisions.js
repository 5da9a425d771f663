// Every decision as a table: what the charts show, for those who read.
import { byId } from './dom.js'
import { count, shortWait } from './numbers.js'
import { sinceBegin } from './time-axis.js'

const page = 100

export function startDecisions() {
  const [table, head, body, more] = ['decisions', 'decisions-head', 'decisions-body', 'more'].map(byId)
  let shown = []
  let asked
  let rows = page
  more.addEventListener('click', () => {
    const next = body.rows.length
    rows += page
    fill()
    body.rows[next]?.querySelector('th').focus()
  })
  table.addEventListener('toggle', fill)

  function fill() {
    if (!table.open || asked === undefined) return
    const keys = new Set(asked.arrivals.map(({ key }) => key)).size > 1
    const names = shown.map(({ name }) => name)
    head.replaceChildren(rowOf('th', ['At', ...(keys ? ['Key'] : []), ...names]))
    body.replaceChildren(
      ...asked.arrivals.slice(0, rows).map(({ atUs, key }, i) => {
        const at = sinceBegin((atUs - asked.axis.fromUs) / 1e6)
        const answers = shown.map(({ run }) => answerOf(run.answers[i]))
        return rowOf('td', [at, ...(keys ? [key] : []), ...answers])
      }),
    )
    more.hidden = rows >= asked.arrivals.length
    more.textContent = `Show more of ${count(asked.arrivals.length)}`
  }

  return {
    show(next, traffic) {
      shown = next
      asked = traffic
      rows = page
      fill()
    },
  }
}

function rowOf(kind, cells) {
  const row = document.createElement('tr')
  for (const [i, cell] of cells.entries()) {
    const node = document.createElement(i === 0 ? 'th' : kind)
    if (node.tagName === 'TH') node.scope = kind === 'th' ? 'col' : 'row'
    if (i === 0) node.tabIndex = -1
    if (typeof cell === 'string') node.textContent = cell
    else {
      node.className = cell.kind
      node.textContent = cell.words
    }
    row.append(node)
  }
  return row
}

function answerOf({ allowed, remaining, retryAfterMs, waitMs }) {
  if (waitMs > 0) return { kind: 'admitted', words: `admitted after ${shortWait(waitMs)}` }
  if (allowed) return { kind: 'admitted', words: `admitted, ${count(remaining)} left` }
  const when = retryAfterMs === null ? 'never' : `again in ${shortWait(retryAfterMs)}`
  return { kind: 'refused', words: `refused, ${when}` }
}
