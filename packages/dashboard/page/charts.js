// The charts of the rows: drawn where they can be seen, taken away where they cannot.
import { gridStep } from './axis.js'
import { flowChart } from './chart.js'
import { flowLanes, fullLanes, sharedScale } from './chart-scale.js'
import { endOf, seriesOf } from './state.js'

const heights = { big: 260, usual: 96, dense: 44 }

/** More rows than these are drawn without the lane of their windows, unless it is asked for. */
export const mostUsual = 12

/** How rows are drawn by how many there are. */
export const sizeFor = (count, { windows }) => {
  if (count <= 3) return 'big'
  return windows || count <= mostUsual ? 'usual' : 'dense'
}

/** What all charts have in common now. */
export function commonSpec(state, rows, { size, gutter, width }) {
  const { spanSeconds, stepSeconds } = state.hello
  const to = endOf(state)
  const common = {
    from: to - spanSeconds,
    to,
    step: stepSeconds,
    every: gridStep(spanSeconds, width),
    gutter,
    height: heights[size],
    lanes: size === 'dense' ? flowLanes : fullLanes,
    outages: state.outages,
    known: state.totals?.knownFromSecond ?? null,
  }
  if (size === 'dense') return common
  return { ...common, ...sharedScale(rows.map(({ id, limit }) => ({ limit, data: seriesOf(state, id) }))) }
}

/** The charts that can be seen, by the element that they are drawn in. */
export class Charts {
  #charts = new Map()
  #size

  /** Brings the chart of one row up to date, or takes it away. `point`: the second at the cursor. */
  draw(state, { info, target, visible }, { common, size, point }) {
    if (this.#size !== size) this.clear()
    this.#size = size
    if (!visible) {
      this.drop(target)
      return
    }
    const { limit, shade, windowSeconds, windowsSeconds } = info
    const own = { limit, shade, windowSeconds, windowsSeconds, edges: state.edges[info.id] ?? [] }
    const data = { xs: state.xs, ...seriesOf(state, info.id) }
    const known = this.#charts.get(target)
    if (known === undefined) this.#charts.set(target, flowChart(target, { ...common, ...own }, data))
    else known.update({ ...common, ...own }, data)
    this.#charts.get(target).point(point)
  }

  /** Moves the upright line of all charts. */
  point(second) {
    for (const chart of this.#charts.values()) chart.point(second)
  }

  drop(target) {
    this.#charts.get(target)?.destroy()
    this.#charts.delete(target)
  }

  clear() {
    for (const target of [...this.#charts.keys()]) this.drop(target)
  }
}
