// Where values lie in a chart: lanes, tops, and the scale that charts share.

/**
 * Fractions of the chart's height, from above. Up and down are equally high: they have one scale. Without the lane of the window a
 * chart fits into a dense list.
 */
export const fullLanes = { window: [0, 0.42], up: [0.5, 0.75], down: [0.75, 1] }
export const flowLanes = { up: [0, 0.5], down: [0.5, 1] }

const tidySteps = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10]

/** The range of a scale whose values from 0 to `top` rise from the lane's lower edge to its upper one. */
export const upward = (top, [above, below]) => [
  (top * (below - 1)) / (below - above),
  (top * below) / (below - above),
]

/** The same hanging from the upper edge, for a scale with `dir: -1`. */
export const downward = (top, [above, below]) => [
  (-above * top) / (below - above),
  ((1 - above) * top) / (below - above),
]

/** The end of a scale that is easy to read: 5, 6, 8, 10, 15, 20 … */
export function tidyTop(most) {
  if (most <= 5) return 5
  const magnitude = 10 ** Math.floor(Math.log10(most))
  return magnitude * (tidySteps.find((step) => step * magnitude >= most) ?? 10)
}

export function mostOf(values) {
  let most = 0
  for (const value of values) if (value > most) most = value
  return most
}

/**
 * One scale for charts that are looked at together: `{ top, head }` of a chart's spec. The same bar then means the same
 * number everywhere, and all limits lie at one height. `charts` are `{ limit, data }`, as each will be drawn.
 */
export function sharedScale(charts) {
  let [flow, fullest] = [0, 1.12]
  for (const { limit, data } of charts) {
    flow = Math.max(flow, mostOf(data.admitted), mostOf(data.refused))
    if (limit > 0) fullest = Math.max(fullest, mostOf(data.inWindow) / limit)
  }
  return { top: tidyTop(flow), head: Math.min(2.2, fullest * 1.04) }
}

/** The tops of a chart's scales: shared ones where its spec has them, else its own. */
export function topsOf({ limit, head, top }, { inWindow, admitted, refused }) {
  const flow = top ?? tidyTop(Math.max(mostOf(admitted), mostOf(refused)))
  return {
    window: limit && head ? limit * head : Math.max((limit ?? 0) * 1.08, mostOf(inWindow) * 1.06, 5),
    flow,
  }
}
