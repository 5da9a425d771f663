export type Field = readonly [name: string, value: string]
type Fields = ReadonlyMap<string, Field>

/** Where a response keeps the fields that were written on it: a program may answer many requests by one object. */
const written: unique symbol = Symbol('sluice.written')

type Written = Response & { readonly [written]?: readonly Field[] }

/** Adds fields to a response, whose own fields stay. Returns the response itself if its headers can be changed, else a copy. */
export function withFields(response: Written, fields: Fields): Response {
  if (fields.size === 0) return response
  const stale = response[written]
  if (stale === undefined && setFields(response.headers, fields)) {
    Reflect.set(response, written, [...fields.values()])
    return response
  }
  const copy = copyOf(response)
  if (copy === undefined) return response
  for (const [name, value] of stale ?? []) if (copy.headers.get(name) === value) copy.headers.delete(name)
  setFields(copy.headers, fields)
  return copy
}

/** Returns false if the headers cannot be changed, as those of a redirect or of `fetch`. */
function setFields(headers: Headers, fields: Fields): boolean {
  try {
    for (const [lowerName, [name, value]] of fields) if (!headers.has(lowerName)) headers.set(name, value)
    return true
  } catch {
    return false
  }
}

/** undefined where no copy is possible: of `Response.error()`, of a socket's upgrade, of a body that was read before. */
function copyOf(response: Response): Response | undefined {
  try {
    return new Response(response.body, response)
  } catch {
    return undefined
  }
}
