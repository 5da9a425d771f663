import { createHash, timingSafeEqual } from 'node:crypto'
import type { Logger } from '@sluice/core'
import { optionError } from '@sluice/core/internal'
import { Changing } from './changing.ts'
import { readName, readSecret } from './read-secret.ts'

/** The characters that may stand in a field. */
const written = /^[\x21-\x7e]+$/

/** The token that a client has to send, from a file that may change. */
export class Token {
  readonly #digest: Changing<Buffer>

  constructor(file: string, logger: Logger) {
    const read = () => digestOf(readToken(file))
    this.#digest = new Changing(read, { files: [file], what: 'the token', logger })
  }

  /** Whether `field`, the value of `Authorization`, has the token. Takes the same time for any token. */
  isIn(field: string | undefined): boolean {
    const [, token = ''] = /^bearer +(\S+) *$/i.exec(field ?? '') ?? []
    return timingSafeEqual(digestOf(token), this.#digest.value)
  }

  close(): void {
    this.#digest.close()
  }
}

export function openToken(file: unknown, logger: Logger): Token | undefined {
  return file === undefined ? undefined : new Token(readName(file, 'tokenFile'), logger)
}

function readToken(file: string): string {
  const token = readSecret(file, 'tokenFile').toString().trim()
  if (written.test(token)) return token
  throw optionError('tokenFile', `a token of visible ASCII in ${file}`, token === '' ? '' : 'others')
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
