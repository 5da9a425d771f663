import type { Page } from 'playwright-core'

/** Runs in the page. A dialog is measured alone, and so is what stays in its place while the page is scrolled. */
const measure = `((across, down) => {
  const root = document.querySelector('dialog[open]') ?? document.body
  const boxOf = ({ left, right, top, bottom }) => ({ left, right, top, bottom })

  /** What is seen of a box: everything around it may cut it, and touches what it cuts. */
  function seenOf(box, from) {
    const cutBy = []
    for (let around = from; around !== null; around = around.parentElement) {
      const { clipPath, overflowX } = getComputedStyle(around)
      if (clipPath !== 'none') return null
      if (overflowX === 'visible') continue
      const edge = around.getBoundingClientRect()
      if (box.left < edge.left || box.right > edge.right) cutBy.push(around)
      box.left = Math.max(box.left, edge.left)
      box.right = Math.min(box.right, edge.right)
      box.top = Math.max(box.top, edge.top)
      box.bottom = Math.min(box.bottom, edge.bottom)
    }
    return box.right - box.left > 1 && box.bottom - box.top > 1 ? { ...box, cutBy } : null
  }

  function layerOf(node) {
    for (let around = node; around !== null; around = around.parentElement)
      if (['sticky', 'fixed'].includes(getComputedStyle(around).position)) return around
    return null
  }

  const isShown = (node) =>
    !node.closest('svg, template, kbd') &&
    node.checkVisibility({ contentVisibilityAuto: true, opacityProperty: true, visibilityProperty: true })

  function textsIn(node) {
    const [layer, found] = [layerOf(node), []]
    for (const text of node.childNodes) {
      if (text.nodeType !== Node.TEXT_NODE || text.textContent.trim() === '') continue
      const range = document.createRange()
      range.selectNodeContents(text)
      for (const rect of range.getClientRects()) {
        const box = seenOf(boxOf(rect), node)
        if (box !== null) found.push({ name: text.textContent.trim().slice(0, 40), node, layer, ...box })
      }
    }
    return found
  }

  /** The sides of a box that are drawn: by a border, or by a shadow that stands for one. */
  function linesOf(node, box) {
    const style = getComputedStyle(node)
    const drawn = (side) =>
      style.boxShadow !== 'none' || (style['border' + side + 'Style'] !== 'none' && parseFloat(style['border' + side + 'Width']) > 0)
    const line = { name: 'a line of ' + nameOf(node), node, layer: layerOf(node) }
    return [
      ['Left', { ...box, right: box.left }],
      ['Right', { ...box, left: box.right }],
      ['Top', { ...box, bottom: box.top }],
      ['Bottom', { ...box, top: box.bottom }],
    ].flatMap(([side, at]) => (drawn(side) ? [{ ...line, ...at }] : []))
  }

  const nameOf = ({ tagName, id, className }) =>
    [tagName.toLowerCase(), id && '#' + id, className && '.' + className].join('')

  const [texts, controls, lines] = [[], [], []]
  for (const node of root.querySelectorAll('*')) {
    if (!isShown(node)) continue
    texts.push(...textsIn(node))
    const box = seenOf(boxOf(node.getBoundingClientRect()), node.parentElement)
    if (box === null) continue
    lines.push(...linesOf(node, box))
    if (node.matches('button, .button, select, input, textarea'))
      controls.push({ name: nameOf(node), node, layer: layerOf(node), ...box })
  }

  const found = []
  function compare(a, b) {
    if (a.layer !== b.layer || a.cutBy.includes(b.node)) return
    const isNear =
      Math.max(a.left - b.right, b.left - a.right) < across && Math.max(a.top - b.bottom, b.top - a.bottom) < down
    if (isNear) found.push(a.name + ' | ' + b.name)
  }
  for (const text of texts) {
    for (const line of lines) compare(text, line)
    for (const control of controls) if (!control.node.contains(text.node)) compare(text, control)
  }
  for (const [place, control] of controls.entries())
    for (const other of controls.slice(place + 1)) compare(control, other)
  return [...new Set(found)]
})`

/**
 * The pairs on a page that seem to touch: a text with a line or a control beside it, or two controls. They are closer than
 * `across` and `down`, in pixels.
 */
export function touching(page: Page, across = 4, down = 2): Promise<string[]> {
  return page.evaluate<string[]>(`${measure}(${across}, ${down})`)
}
