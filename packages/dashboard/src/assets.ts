import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { answer, type Fields } from './answer.ts'
import { pages } from './pages.generated.ts'

interface Asset {
  readonly body: string
  readonly fields: Fields
  readonly tag: string
}

const assets: ReadonlyMap<string, Asset> = new Map(
  Object.entries(pages).map(([name, { type, body }]) => {
    const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
    return [name, { body, tag, fields: { 'Content-Type': type, 'Cache-Control': 'no-cache', ETag: tag } }]
  }),
)

export function isAsset(name: string): boolean {
  return assets.has(name)
}

/** A file of the page: browsers revalidate it each time, and get it only when it has changed. */
export function serveAsset(name: string, request: IncomingMessage, response: ServerResponse): void {
  const asset = assets.get(name)
  if (asset === undefined) throw new Error(`no such file of the page: ${name}`)
  const { body, fields, tag } = asset
  const known = request.headers['if-none-match']
    ?.split(',')
    .some((each) => each.trim().replace(/^W\//, '') === tag)
  if (known === true) answer(response, 304, fields)
  else answer(response, 200, { ...fields, body })
}
