// How the page is looked at. The address says so, and can be sent to somebody else: `#span=900&filter=crowd&windows`. Alerts lead to
// one policy: `#span=900&limiter=api&policy=visitor&key=203.0.113.9`.

const usual = { span: 300, order: 'configured', filter: '', limiter: null, policy: null, windows: false }
const choices = { span: ['60', '300', '900', '3600'], order: ['configured', 'refused', 'nearest'] }

/**
 * `limiter` and `policy` are the only ones to show, null for any. `key` is the one in the dialog, as an action names it; null for
 * none.
 */
export function viewOf(hash) {
  const asked = new URLSearchParams(hash.slice(1))
  const [limiter, policy] = [asked.get('limiter'), asked.get('policy')]
  const chosen = (name) => (choices[name].includes(asked.get(name)) ? asked.get(name) : usual[name])
  return {
    span: Number(chosen('span')),
    order: chosen('order'),
    filter: asked.get('filter') ?? '',
    limiter,
    policy,
    windows: asked.has('windows'),
    key: keyOf(asked.get('key'), { limiter, policy }),
    all: false,
    idle: false,
  }
}

/** What is as usual is left out. */
export function hashOf(view) {
  const said = new URLSearchParams()
  for (const name of ['span', 'order', 'filter', 'limiter', 'policy'])
    if (view[name] !== usual[name]) said.set(name, view[name])
  if (view.windows) said.set('windows', '')
  if (view.key !== null) said.set('key', JSON.stringify(view.key))
  return said.size === 0 ? '' : `#${said}`
}

/**
 * As the page writes it, or beside its limiter as anybody would type it. Anybody may have written an address: what is no object is no
 * key that the page has written, and the server looks at what is in it.
 */
function keyOf(text, { limiter, policy }) {
  if (text === null || text === '') return null
  const read = parsed(text)
  if (isPlainObject(read)) return read
  return limiter === null ? null : { limiter, policy: policy ?? '', key: Array.isArray(read) ? read : text }
}

const isPlainObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)

function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
