import { createHash } from 'node:crypto'
import { fieldInteger, retryAfterSeconds, wireName } from '@sluice/core/internal'
import type { Response } from 'express'
import type { DraftHeadersVersion, RateLimitInfo } from './types.ts'

export const drafts: readonly DraftHeadersVersion[] = ['draft-6', 'draft-7', 'draft-8']

/** Seconds until the window ends; those of a whole window where the store does not say when it ends. */
function resetSeconds({ resetTime }: RateLimitInfo, windowMs: number): number {
  const ms = resetTime === undefined ? windowMs : resetTime.getTime() - Date.now()
  return Math.max(0, Math.ceil(ms / 1000))
}

/** `X-RateLimit-Reset` is an instant, so the time of this server is sent with it, as `Date`. */
export function setLegacyHeaders(response: Response, { limit, remaining, resetTime }: RateLimitInfo): void {
  if (response.headersSent) return
  response.setHeader('X-RateLimit-Limit', String(limit))
  response.setHeader('X-RateLimit-Remaining', String(remaining))
  if (resetTime === undefined) return
  response.setHeader('Date', new Date().toUTCString())
  response.setHeader('X-RateLimit-Reset', String(Math.ceil(resetTime.getTime() / 1000)))
}

/** Drafts 6 and 7 know one limit: a later limiter replaces that of an earlier one. Draft 8 lists all limits, each by its `name`. */
export function setDraftHeaders(
  response: Response,
  info: RateLimitInfo,
  { draft, windowMs, name }: { draft: DraftHeadersVersion; windowMs: number; name: string },
): void {
  if (response.headersSent) return
  const { limit, remaining, key } = info
  const seconds = resetSeconds(info, windowMs)
  const windowSeconds = Math.ceil(windowMs / 1000)
  if (draft === 'draft-8') {
    const item = `"${wireName(name)}"`
    response.append('RateLimit', `${item}; r=${fieldInteger(remaining)}; t=${seconds}`)
    response.append(
      'RateLimit-Policy',
      `${item}; q=${fieldInteger(limit)}; w=${windowSeconds}; pk=:${partitionOf(key)}:`,
    )
    return
  }
  response.setHeader('RateLimit-Policy', `${limit};w=${windowSeconds}`)
  if (draft === 'draft-7') {
    response.setHeader('RateLimit', `limit=${limit}, remaining=${remaining}, reset=${seconds}`)
    return
  }
  response.setHeader('RateLimit-Limit', String(limit))
  response.setHeader('RateLimit-Remaining', String(remaining))
  response.setHeader('RateLimit-Reset', String(seconds))
}

/** A part of a hash: it tells keys apart and does not name them. */
function partitionOf(key: string): string {
  const hash = createHash('sha256').update(key).digest('hex')
  return Buffer.from(hash.slice(0, 12)).toString('base64')
}

/** Without `seconds`, the time until the window ends, at least a second: with 0, clients come back at once. */
export function setRetryAfterHeader(
  response: Response,
  { resetTime }: RateLimitInfo,
  { windowMs, seconds }: { windowMs: number; seconds: number | undefined },
): void {
  if (response.headersSent) return
  const ms = resetTime === undefined ? windowMs : resetTime.getTime() - Date.now()
  response.setHeader('Retry-After', String(seconds ?? retryAfterSeconds(ms)))
}
