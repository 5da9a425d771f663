import { randomBytes } from 'node:crypto'

/** 128 random bits in 22 characters: no client guesses another's. */
export function newTicket(): string {
  return randomBytes(16).toString('base64url')
}

/** What else a client sends for a ticket is unknown, and no server is asked about it. */
export function isTicket(ticket: unknown): ticket is string {
  return typeof ticket === 'string' && /^[\w-]{22}$/.test(ticket)
}
