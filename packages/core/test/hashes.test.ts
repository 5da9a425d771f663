import { createHash } from 'node:crypto'
import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { sha1, sha256 } from '../src/hashes.ts'

const hashes = { sha1, sha256 }

describe.each(['sha1', 'sha256'] as const)('%s by our own means', (name) => {
  const agree = (text: string) => expect(hashes[name](text)).toBe(createHash(name).update(text).digest('hex'))

  it.each([0, 1, 54, 55, 56, 63, 64, 65, 119, 120, 12_345])('is that of Node for %i characters', (length) => {
    agree('x'.repeat(length))
  })

  it('is that of Node for any text', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), agree), { numRuns: 200 })
  })
})
