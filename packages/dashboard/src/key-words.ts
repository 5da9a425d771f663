import { createHmac, randomBytes } from 'node:crypto'
import type { Key } from '@sluice/core'
import { encodeKey } from '@sluice/core/internal'
import { keyText, visibleText } from './mask.ts'

/** 32 signs, none of which is taken for another: a mark has 30 bits. */
const signs = '0123456789abcdefghjkmnpqrstvwxyz'
const markLength = 6

/** Keys and notes as a viewer sees them: masked ones have a mark beside them that tells them apart. */
export class KeyWords {
  readonly #secret: string | Uint8Array

  /** Without a secret, the marks differ from process to process. */
  constructor(secret: string | undefined) {
    this.#secret = secret ?? randomBytes(32)
  }

  key(key: Key, masked: boolean): string {
    return masked ? `${keyText(key, true)} ${this.#mark(encodeKey(key))}` : keyText(key, false)
  }

  note(text: string, masked: boolean): string {
    return masked ? `${visibleText(text, true)} ${this.#mark(text)}` : visibleText(text, false)
  }

  /** `#3k9fq2`: the same for the same key, and of no use for guessing without the secret. */
  #mark(name: string): string {
    const bytes = createHmac('sha256', this.#secret).update(name).digest().subarray(0, markLength)
    return `#${[...bytes].map((byte) => signs[byte % signs.length]).join('')}`
  }
}
