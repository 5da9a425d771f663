// How the page is looked at. The address says so, and can be sent to somebody else: `#span=900&filter=crowd&windows`.

const usual = { span: 300, order: 'configured', filter: '', windows: false, key: null }
const choices = { span: ['60', '300', '900', '3600'], order: ['configured', 'refused', 'nearest'] }

/** `key` is the one in the dialog, as an action names it; null for none. */
export function viewOf(hash) {
  const asked = new URLSearchParams(hash.slice(1))
  const chosen = (name) => (choices[name].includes(asked.get(name)) ? asked.get(name) : usual[name])
  return {
    span: Number(chosen('span')),
    order: chosen('order'),
    filter: asked.get('filter') ?? '',
    windows: asked.has('windows'),
    key: keyOf(asked.get('key')),
    all: false,
    idle: false,
  }
}

/** What is as usual is left out. */
export function hashOf(view) {
  const said = new URLSearchParams()
  for (const name of ['span', 'order', 'filter']) if (view[name] !== usual[name]) said.set(name, view[name])
  if (view.windows) said.set('windows', '')
  if (view.key !== null) said.set('key', JSON.stringify(view.key))
  return said.size === 0 ? '' : `#${said}`
}

/** Anybody may have written an address: what is no object is no key, and the server looks at what is in it. */
function keyOf(text) {
  try {
    const key = JSON.parse(text ?? 'null')
    return typeof key === 'object' && !Array.isArray(key) ? key : null
  } catch {
    return null
  }
}
