import { isStoreError, storeError } from '../../errors.ts'
import { isToken, type RestPlace } from '../rest-options.ts'

/** Every answer to a call of ours is smaller, even one that shows a key with its entries. */
const mostBytes = 8 * 2 ** 20

/** The HTTP half of a connection: a JSON text goes to the front, and JSON comes back. Nothing is sent twice. */
export class RestFront {
  readonly #place: RestPlace
  #token = ''
  readonly #underWay = new Set<AbortController>()
  #closed = false

  constructor(place: RestPlace) {
    this.#place = place
  }

  /** The front's answer, also where its status is that of a command's error. Rejects with a StoreError that holds no token. */
  async ask(path: '/' | '/pipeline', body: string): Promise<unknown> {
    if (this.#closed) throw storeError('redis', 'the store was closed')
    const token = this.#place.token()
    if (!isToken(token)) throw storeError('redis', 'redis.token has returned no token for the REST API')
    this.#token = token
    const { longestMs } = this.#place
    const call = new AbortController()
    // Timers and signals are this request's own: a worker may not share them between the requests that it serves.
    const timer = setTimeout(() => call.abort(), longestMs)
    this.#underWay.add(call)
    try {
      return await exchange(this.#place.url + path, { body, token, signal: call.signal })
    } catch (error) {
      if (call.signal.aborted && !this.#closed)
        throw storeError('redis', `the REST API has not answered within ${longestMs} ms`)
      throw storeError('redis', this.withoutToken(isStoreError(error) ? error.message : unreached(error)))
    } finally {
      clearTimeout(timer)
      this.#underWay.delete(call)
    }
  }

  /** Removes the token from what the front or `fetch` has said. A token shorter than 8 characters would be no secret, and is left. */
  withoutToken(said: string): string {
    return this.#token.length < 8 ? said : said.replaceAll(this.#token, '…')
  }

  /** Requests under way fail. */
  close(): void {
    this.#closed = true
    for (const call of this.#underWay) call.abort()
  }
}

async function exchange(
  url: string,
  { body, token, signal }: { body: string; token: string; signal: AbortSignal },
): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      // Some replies are bytes, of which JSON would lose those that are no UTF-8.
      'upstash-encoding': 'base64',
    },
    body,
    signal,
    // A redirect would carry the token elsewhere.
    redirect: 'manual',
  })
  const refusal = refusalOf(response)
  if (refusal !== undefined) {
    await response.body?.cancel()
    throw storeError('redis', refusal)
  }
  const text = await textOf(response)
  try {
    return JSON.parse(text)
  } catch {
    throw storeError('redis', `what answers at redis.url is no REST API for Redis (${statusOf(response)})`)
  }
}

/** Why a response answers no command. undefined: it may answer one, as a command's own error has the status 400. */
function refusalOf(response: Response): string | undefined {
  const { status } = response
  const said = statusOf(response)
  if (status === 401 || status === 403) return `the REST API refuses the token (${said})`
  if (status === 429) return `the REST API takes no more requests for now (${said})`
  if (status >= 500) return `the REST API has failed (${said})`
  // A browser shows no status of a redirect.
  if (status < 200 || (status >= 300 && status < 400))
    return `the REST API is elsewhere: redis.url must be where it leads to (${said})`
  return undefined
}

function statusOf({ status }: Response): string {
  return `HTTP ${status}`
}

async function textOf({ body }: Response): Promise<string> {
  if (body === null) return ''
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.byteLength
    if (bytes > mostBytes) {
      await reader.cancel()
      throw storeError('redis', `the REST API has answered more than ${mostBytes} bytes`)
    }
    text += decoder.decode(value, { stream: true })
  }
}

/** The message where `fetch` has rejected: its error says little, and the cause of that more. */
function unreached(error: unknown): string {
  const { cause } = Object(error) as { readonly cause?: unknown } // looked at, never called
  const said = cause === undefined ? wordsOf(error) : `${wordsOf(error)} (${wordsOf(cause)})`
  return `the REST API cannot be reached: ${said}`
}

function wordsOf(error: unknown): string {
  const { message, code } = Object(error) as { readonly message?: unknown; readonly code?: unknown } // as above
  return String(message || code || error)
}
