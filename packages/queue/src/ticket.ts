import { randomBytes } from 'node:crypto'

/** 128 random bits in 22 characters: clients cannot guess each other's. */
export function newTicket(): string {
  return randomBytes(16).toString('base64url')
}

/** Anything else that a client sends as a ticket is unknown, without asking a server. */
export function isTicket(ticket: unknown): ticket is string {
  return typeof ticket === 'string' && /^[\w-]{22}$/.test(ticket)
}
