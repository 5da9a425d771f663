import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Answer } from './answer.ts'

const folder = fileURLToPath(new URL('../public', import.meta.url))

/** Only these are served: an editor's leftovers are not. */
const types: { readonly [extension: string]: string } = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Fields of every response: the page loads everything from here, and must not be framed. */
export const safeHeaders = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
}

/** The page's files by path: read once, so that no request's path reaches the file system. */
export function readPages(): ReadonlyMap<string, Answer> {
  const pages = new Map<string, Answer>()
  for (const file of readdirSync(folder)) {
    const type = types[path.extname(file)]
    if (type === undefined) continue
    const headers = { 'Content-Type': type, 'Cache-Control': 'no-cache' }
    const page = { status: 200, headers, body: readFileSync(path.join(folder, file)) }
    pages.set(file === 'index.html' ? '/' : `/${file}`, page)
  }
  return pages
}
