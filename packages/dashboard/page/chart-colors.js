// The colours of charts are those of the page: a canvas has to be given them, and again when the scheme changes.

const names = {
  mark: '--admitted-mark',
  wash: '--admitted-wash',
  refused: '--refused-mark',
  limit: '--limit',
  window: '--window',
  unknown: '--sunken',
  grid: '--grid',
  hatch: '--hatch',
  hatchWash: '--hatch-wash',
  strong: '--ink',
  quiet: '--ink-3',
  base: '--line-2',
  surface: '--surface',
}
let known
let hatches = new Map()
const listeners = new Set()

/** The page's colours by what they paint, and its font. */
export function colors() {
  if (known !== undefined) return known
  const style = getComputedStyle(document.documentElement)
  known = { font: getComputedStyle(document.body).fontFamily }
  for (const [name, token] of Object.entries(names)) known[name] = style.getPropertyValue(token).trim()
  return known
}

/** Calls back after light has become dark, or the other way; the answer ends that. */
export function watchColors(redraw) {
  listeners.add(redraw)
  return () => listeners.delete(redraw)
}

/** Reads the colours anew: for a page with a switch of its own, which calls it after each change. */
export function recolor() {
  known = undefined
  hatches = new Map()
  for (const redraw of listeners) redraw()
}

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', recolor)

/** The hatching of a span in which was decided without the store. */
export function hatching(context, ratio) {
  if (!hatches.has(ratio)) hatches.set(ratio, context.createPattern(hatchTile(ratio), 'repeat'))
  return hatches.get(ratio)
}

function hatchTile(ratio) {
  const tile = document.createElement('canvas')
  const size = Math.round(6 * ratio)
  tile.width = size
  tile.height = size
  const context = tile.getContext('2d')
  context.strokeStyle = colors().hatch
  context.lineWidth = ratio
  context.beginPath()
  for (const start of [-size, 0, size]) {
    context.moveTo(start, size)
    context.lineTo(start + size, 0)
  }
  context.stroke()
  return tile
}
