import { randomBytes } from 'node:crypto'

/** 128 random bits in 22 characters: clients cannot guess each other's. */
export function newTicket(): string {
  return randomBytes(16).toString('base64url')
}

/** Whether a text has the form of a ticket. Anything else is unknown, without asking a server. */
export function isTicket(ticket: unknown): ticket is string {
  return typeof ticket === 'string' && /^[\w-]{22}$/.test(ticket)
}
