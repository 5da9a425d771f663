// A queue has no row on the dashboard: its last minute is what this page has seen of it.

const longestSeconds = 90

/** `note` takes how a queue stands at a second of the server's, null while its clock is unknown; `dataOf` answers a chart's data. */
export function createLine() {
  const seen = new Map()
  let last

  function note(second, queue) {
    if (second !== null) add(second, queue)
    last = queue
  }

  function add(second, { waiting, running, accepted, turnedAway }) {
    const before = seen.get(second) ?? { inLine: 0, admitted: 0, refused: 0 }
    const { accepted: earlier = accepted, turnedAway: turnedBefore = turnedAway } = last ?? {}
    seen.set(second, {
      inLine: Math.max(before.inLine, waiting + running),
      // Fewer than before: the server has started anew.
      admitted: before.admitted + Math.max(0, accepted - earlier),
      refused: before.refused + Math.max(0, turnedAway - turnedBefore),
    })
    for (const old of seen.keys()) if (old < second - longestSeconds) seen.delete(old)
  }

  function dataOf(xs) {
    let inLine = 0
    const inWindow = xs.map((second) => {
      // Between two looks it stands as it stood.
      inLine = seen.get(second)?.inLine ?? inLine
      return inLine
    })
    const each = (what) => xs.map((second) => seen.get(second)?.[what] ?? 0)
    return { xs, inWindow, admitted: each('admitted'), refused: each('refused') }
  }

  return { note, dataOf }
}
