import http, { type IncomingHttpHeaders, type RequestOptions } from 'node:http'

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Whatever is asked, as it stands: no path is tidied, no header added. A stream is read until its first bytes. */
export function ask(
  origin: string,
  path: string,
  options: RequestOptions & { body?: string } = {},
): Promise<Answer> {
  const { hostname, port } = new URL(origin)
  const { body, ...asked } = options
  return new Promise((resolve, reject) => {
    const request = http.request({ hostname, port, path, agent: false, ...asked }, (response) => {
      const chunks: Buffer[] = []
      const done = () => {
        const { statusCode: status = 0, headers } = response
        resolve({ status, headers, body: Buffer.concat(chunks).toString() })
      }
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        if (!(response.headers['content-type'] ?? '').startsWith('text/event-stream')) return
        done()
        request.destroy()
      })
      response.on('end', done).on('error', () => {})
    })
    request.on('error', reject)
    request.end(body)
  })
}

/** An act as the page sends it. */
export function act(
  origin: string,
  path: string,
  value: unknown,
  headers: RequestOptions['headers'] = {},
): Promise<Answer> {
  const body = JSON.stringify(value)
  const own = {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'Sec-Fetch-Site': 'same-origin',
  }
  return ask(origin, path, {
    method: 'POST',
    headers: { ...own, ...headers } as RequestOptions['headers'],
    body,
  })
}
