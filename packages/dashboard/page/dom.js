// The few things that every part of the page does with its nodes. Text only ever goes in as text: names and keys come from users.

export const byId = (id) => document.getElementById(id)

/** Says a text, and leaves the node alone when it says that already: a screen reader keeps its place. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text
}

export function setAttribute(node, name, value) {
  if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value)
}

/** A new copy of a template's one element. */
export const copyOf = (id) => byId(id).content.firstElementChild.cloneNode(true)

/** A number in large figures with a quieter unit. */
export function setFigure(node, figure, unit = '') {
  if (node.firstChild === null) node.append(new Text(), document.createElement('small'))
  setText(node.firstChild, figure)
  setText(node.lastChild, unit)
}

/**
 * Keeps one node for each item below `parent`, in the items' order. `make(item)` answers `{ node, … }`, `fill(made, item)`
 * brings it up to date, `drop(made)` is called when its item has gone. What has the focus keeps it.
 */
export function keyedList(parent, { keyOf, make, fill, drop = () => {} }) {
  const made = new Map()
  return (items) => {
    const kept = new Set(items.map(keyOf))
    for (const [key, one] of made) {
      if (kept.has(key)) continue
      one.node.remove()
      drop(one)
      made.delete(key)
    }
    const focused = document.activeElement
    let next = parent.firstElementChild
    for (const item of items) {
      const key = keyOf(item)
      if (!made.has(key)) made.set(key, make(item))
      const one = made.get(key)
      if (one.node === next) next = next.nextElementSibling
      else parent.insertBefore(one.node, next)
      fill(one, item)
    }
    if (focused !== document.activeElement && focused?.isConnected) focused.focus({ preventScroll: true })
  }
}
