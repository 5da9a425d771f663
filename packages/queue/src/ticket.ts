import { randomBytes } from 'node:crypto'

/** 128 random bits in 22 characters: nobody guesses another's. */
export function newTicket(): string {
  return randomBytes(16).toString('base64url')
}
