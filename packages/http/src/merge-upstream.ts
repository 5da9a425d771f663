import { optionError } from '@sluice/core/internal'
import { stateOf, writtenFields } from './request-state.ts'

/** Headers of another server's response, by their names in lower case as Node has them, or as `fetch` answers them. */
type UpstreamHeaders = Headers | { [lowerName: string]: string | string[] | undefined }

/** Fields that say one thing together. */
const families = ['x-ratelimit', 'ratelimit'].map((each) => ({
  remaining: `${each}-remaining`,
  names: [`${each}-limit`, `${each}-remaining`, `${each}-reset`],
}))
/** Fields in which each policy has an item of its own. */
const lists = ['ratelimit-policy', 'ratelimit']

/**
 * For a server that passes requests on, to call before it copies the headers of the answer: where both have sent fields of rate limits,
 * those of the limit with less left stay, and items of the IETF draft are joined, as between limiters. Changes `headers` and returns it.
 *
 * @example
 * proxy.on('proxyRes', (answer, req) => mergeUpstream(req, answer.headers)) // http-proxy, behind app.use(rateLimit(…))
 */
export function mergeUpstream<H extends UpstreamHeaders>(request: object, headers: H): H {
  for (const [name, given] of Object.entries({ request, headers }))
    if (Object(given) !== given) throw optionError(name, 'an object', given)
  mergeWith(request, headers instanceof Headers ? headers : new NodeHeaders(headers))
  return headers
}

/** Fields of another limiter of the same request, wherever they are kept. */
interface OtherFields {
  get(lowerName: string): string | null
  set(lowerName: string, value: string): void
  delete(lowerName: string): void
}

/** Deletes those of the upstream's fields that this request's own replace. */
export function mergeWith(request: object, theirs: OtherFields): void {
  const own = writtenFields(request)
  // Where both have the same left, which is mostly nothing, a refusal binds more.
  const refused = own['retry-after'] === undefined && theirs.get('retry-after') !== null
  for (const { remaining, names } of families) {
    if (own[remaining] === undefined) continue
    const whole = names.every((name) => theirs.get(name) !== null)
    const more = Number(theirs.get(remaining)) - Number(own[remaining])
    const less = refused ? more <= 0 : more < 0
    if (!whole || !less) for (const name of names) theirs.delete(name)
  }
  for (const name of lists) {
    const [ours, upstreams] = [own[name], theirs.get(name)]
    if (ours === undefined || upstreams === null) continue
    // Older drafts have one item for all policies, which cannot be joined.
    if (stateOf(request).draft === 8) theirs.set(name, `${ours}, ${upstreams}`)
    else theirs.delete(name)
  }
}

/** Node's headers of a message, read and changed as `Headers`. */
class NodeHeaders implements OtherFields {
  readonly #headers: Exclude<UpstreamHeaders, Headers>

  constructor(headers: Exclude<UpstreamHeaders, Headers>) {
    this.#headers = headers
  }

  get(name: string): string | null {
    const value = this.#headers[name]
    return value === undefined ? null : String(value)
  }

  set(name: string, value: string): void {
    this.#headers[name] = value
  }

  delete(name: string): void {
    delete this.#headers[name]
  }
}
