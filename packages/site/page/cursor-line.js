// One upright line through all charts, moved by the pointer and the arrow keys.
import { gutter } from './time-axis.js'

const moves = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 }

export function startCursor(rows, rowsNow) {
  let axis
  let pointed = null

  function point(bucket) {
    pointed = bucket
    for (const row of rowsNow()) row.point(bucket)
  }
  const within = (bucket) => Math.min(Math.max(bucket, 0), axis.buckets - 1)

  rows.addEventListener('pointermove', (event) => {
    const chart = event.target.closest('.charts')
    if (chart === null || axis === undefined) return point(null)
    const { left, width } = chart.getBoundingClientRect()
    const part = (event.clientX - left - gutter) / (width - gutter)
    point(part < 0 ? null : within(Math.floor(part * axis.buckets)))
  })
  rows.addEventListener('pointerleave', () => point(null))
  rows.addEventListener('focusout', () => point(null))
  rows.addEventListener('keydown', (event) => {
    // In a field the keys are the field's.
    if (event.target !== rows || axis === undefined) return
    if (event.key === 'Escape') point(null)
    if (event.key === 'Home' || event.key === 'End') point(event.key === 'Home' ? 0 : axis.buckets - 1)
    else if (moves[event.key] === undefined) return
    else point(within(pointed === null ? 0 : pointed + moves[event.key]))
    event.preventDefault()
  })
  return {
    show(next) {
      axis = next
      point(null)
    },
  }
}
