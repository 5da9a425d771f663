import { optionError } from '@sluice/core/internal'

type Form = 'stream' | 'list'

/** How many queues of a name this process has open at a place, and their form. */
class Open {
  readonly form: Form
  count = 0

  constructor(form: Form) {
    this.form = form
  }
}

const open = new Map<string, Open>()
const clients = new WeakMap<object, string>()
let lastClient = 0

/**
 * Notes that a queue is open, and returns what notes that it is closed. A stream and a list of one name share the key of their number, which
 * stays as earlier versions have it: the list would count the jobs of the stream, so the second is refused.
 */
export function opened(name: string, form: Form, place: string): () => void {
  const key = `${place} ${name}`
  const others = open.get(key) ?? new Open(form)
  if (others.form !== form)
    throw optionError('name', `another name than that of the ${others.form} queue that is open`, name)
  others.count++
  open.set(key, others)
  let isOpen = true
  return () => {
    if (isOpen && --others.count === 0) open.delete(key)
    isOpen = false
  }
}

/** The same for one client of a program, and for the same servers as the options write them. */
export function placeOf(redis: unknown, client: object | undefined): string {
  if (client !== undefined) {
    const known = clients.get(client) ?? `client ${++lastClient}`
    clients.set(client, known)
    return known
  }
  const isUrl = typeof redis === 'string' || redis instanceof URL
  const { url, cluster, sentinels, master }: { readonly [option: string]: unknown } = isUrl
    ? { url: redis }
    : Object(redis)
  return JSON.stringify([String(url), cluster, sentinels, master])
}
