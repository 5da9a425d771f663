import type { Token } from './tokens.ts'

/** The tokens of a log line that make up the request. */
export interface RequestPlace {
  readonly method: string | undefined
  readonly path: string | undefined
  /** The request's first token, and the token behind its last. */
  readonly first: number
  readonly behind: number
}

const methods = new Set(
  'GET HEAD POST PUT DELETE CONNECT OPTIONS TRACE PATCH PROPFIND PROPPATCH MKCOL COPY MOVE LOCK UNLOCK REPORT SEARCH PURGE QUERY'.split(
    ' ',
  ),
)
const longestMethod = 9
/** `GET /a HTTP/1.1`, and `GET /a` */
const request = /^([A-Z]{3,20}) (\S+)(?: .*)?$/
/** A path, an address in full, or a host with a path. */
const target = /^(?:\/|\*$|[a-z][a-z\d+.-]*:\/\/|[a-z\d.-]+\.[a-z]+\/)/i
/** How far from its method a target may stand: logs of CloudFront have the host between. */
const between = 4

/** Finds the request: in quotes, as two tokens, or as the quoted token right after the time. */
export function requestIn(tokens: readonly Token[], time: number): RequestPlace | undefined {
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]
    if (token === undefined || token.name !== undefined) continue
    const place = token.quoted ? quotedRequest(token.text, i) : plainRequest(tokens, i)
    if (place !== undefined) return place
  }
  const behind = tokens[time + 1]
  if (behind?.quoted !== true) return addressedIn(tokens)
  return { method: undefined, path: undefined, first: time + 1, behind: time + 2 }
}

/** Finds a cell with a full URL: some caches log no method. */
function addressedIn(tokens: readonly Token[]): RequestPlace | undefined {
  const first = tokens.findIndex(({ text, start, end }) => start === end && /^https?:\/\/[^/ ]+\//.test(text))
  if (first < 0) return undefined
  return { method: undefined, path: pathOf(tokens[first]?.text ?? ''), first, behind: first + 1 }
}

function quotedRequest(text: string, first: number): RequestPlace | undefined {
  const [, method = '', path = ''] = request.exec(text) ?? []
  // An unknown method counts as one where a target and a protocol follow.
  if (method === '' || !(methods.has(method) || (target.test(path) && / HTTP\/[\d.]+$/.test(text))))
    return undefined
  return { method, path: pathOf(path), first, behind: first + 1 }
}

function plainRequest(tokens: readonly Token[], first: number): RequestPlace | undefined {
  const method = tokens[first]?.text ?? ''
  if (method.length > longestMethod || !methods.has(method)) return undefined
  for (let i = first + 1; i <= first + between; i++) {
    const text = tokens[i]?.text ?? ''
    if (!target.test(text)) continue
    const behind = /^HTTP\/[\d.]+$/.test(tokens[i + 1]?.text ?? '') ? i + 2 : i + 1
    return { method, path: pathOf(text), first, behind }
  }
  return undefined
}

/** A target without scheme and host. */
export function pathOf(text: string): string {
  return text.startsWith('/')
    ? text
    : text.replace(/^(?:[a-z][a-z\d+.-]*:\/\/[^/?#]*|[a-z\d.-]+\.[a-z]+(?=\/))/i, '') || '/'
}

/** Where the status stands: directly behind the request, or before it behind the time; -1 for none. */
export function statusPlace(tokens: readonly Token[], { first, behind }: RequestPlace, time: number): number {
  // A request in quotes stands before its status in nearly all logs.
  const before = tokens[first]?.quoted === true ? undefined : tokens.slice(0, behind)
  const cached = before?.findIndex(({ text }) => ofCache.test(text)) ?? -1
  if (cached >= 0) return cached
  for (let i = behind; i < Math.min(tokens.length, behind + 2); i++)
    if (/^(?:\d{3}|-)$/.test(tokens[i]?.text ?? '')) return i
  // chi writes the client's address before the status.
  for (let i = behind + 2; i < Math.min(tokens.length, behind + 5); i++)
    if (ofHttp.test(tokens[i]?.text ?? '')) return i
  return tokens.findIndex(({ text }, i) => i > time && i < behind && i !== first && ofHttp.test(text))
}

const ofHttp = /^[1-5]\d\d$/
/** The status as Squid writes it: `TCP_MISS/200` */
const ofCache = /^[A-Z_]+\/(\d{3})$/
/** The status as uWSGI writes it, at the end: `(HTTP/1.1 200)` */
const inProtocol = /^HTTP\/[\d.]+ (\d{3})$/

export function statusIn(tokens: readonly Token[], place: number): string | undefined {
  const text = tokens[place]?.text
  if (text !== undefined) return ofCache.exec(text)?.[1] ?? text
  for (const token of tokens) {
    const [, status] = inProtocol.exec(token.text) ?? []
    if (status !== undefined) return status
  }
  return undefined
}
