// One cursor of time through all rows, moved by the pointer or by the arrow keys.

const steps = { ArrowLeft: -1, ArrowRight: 1 }
/** A cursor that stands so long is where it was meant to go. */
const restMs = 400

/**
 * `extent()` answers `{ from, to, step, gutter }` of the charts, or null while there are none. `move(second)` gets the
 * beginning of the bucket below the cursor, and null when it lets go; `rest(second)` gets it once the cursor stands, and null at
 * once. Answers `{ letGo(), second() }`.
 */
export function followCursor(area, { extent, move, rest }) {
  let second = null
  let resting

  function go(next) {
    if (next === second) return
    second = next
    move(second)
    clearTimeout(resting)
    if (second === null) rest(null)
    else resting = setTimeout(rest, restMs, second)
  }

  function byPointer({ target, clientX }) {
    const chart = target.closest('.chart')
    const span = extent()
    if (chart === null || span === null) return go(null)
    const { left, width } = chart.getBoundingClientRect()
    const part = (clientX - left - span.gutter) / (width - span.gutter)
    if (part < 0 || part >= 1) return go(null)
    const bucket = Math.floor((part * (span.to - span.from)) / span.step)
    go(span.from + bucket * span.step)
  }

  function byKey(event) {
    const span = extent()
    if (event.key === 'Escape') return go(null)
    if (!(event.key in steps) || span === null) return
    event.preventDefault()
    const from = second ?? span.to
    go(Math.min(Math.max(from + steps[event.key] * span.step, span.from), span.to - span.step))
  }

  const letGo = () => go(null)
  area.addEventListener('pointermove', byPointer)
  area.addEventListener('pointerdown', byPointer)
  area.addEventListener('pointerleave', letGo)
  area.addEventListener('keydown', byKey)
  area.addEventListener('blur', letGo)
  return { letGo, second: () => second }
}
