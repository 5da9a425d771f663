import type { IncomingMessage } from 'node:http'
import { TLSSocket } from 'node:tls'
import {
  hostNameOf,
  isLoopbackName,
  isOwnOrigin,
  type PlainAnswer,
  problemAnswer,
} from '@sluice/http/internal'
import type { Tls } from '../secrets/tls.ts'
import type { Token } from '../secrets/token.ts'

/** Paths for probes, which have neither certificate nor token, and learn nothing but that the server runs. */
const open: ReadonlySet<string> = new Set(['/healthz', '/readyz'])
/** Paths that count. */
const questions: ReadonlySet<string> = new Set(['/check', '/json', '/auth'])

/** Decides which client may ask what. */
export class Door {
  readonly #token: Token | undefined
  readonly #asksClients: boolean

  constructor({ token, tls }: { token: Token | undefined; tls: Tls | undefined }) {
    this.#token = token
    this.#asksClients = tls?.asksClients === true
  }

  /** undefined: the request may come in. */
  refusalOf(request: IncomingMessage, path: string): PlainAnswer | undefined {
    if (open.has(path)) return undefined
    if (this.#asksClients && !isCertified(request))
      return problemAnswer(403, 'Expected a certificate of an authority that is trusted here.')
    if (!questions.has(path)) return undefined
    if (path !== '/auth' && comesFromPage(request))
      return problemAnswer(403, 'A page in a browser may not ask.')
    if (this.#token?.isIn(request.headers.authorization) !== false) return undefined
    return problemAnswer(401, 'Expected a token: Authorization: Bearer …', {
      fields: [['WWW-Authenticate', 'Bearer']],
    })
  }
}

function isCertified({ socket }: IncomingMessage): boolean {
  return socket instanceof TLSSocket && socket.authorized
}

/**
 * Whether a page in a browser has sent a request. Any page may send a POST to every server that its visitor's machine can reach, and so
 * use up limits. This server has no pages: of its origin are only requests by hand, from the console of one of its answers, and by a name
 * that is not this machine's own the page may be anybody's (DNS rebinding). `/auth` needs no such check: no page can send its fields to
 * another origin without being permitted, and a proxy may pass on those of its client.
 */
function comesFromPage(request: IncomingMessage): boolean {
  return (
    !isOwnOrigin(request) || (request.headers.origin !== undefined && !isLoopbackName(hostNameOf(request)))
  )
}
