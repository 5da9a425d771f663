/** What SHA-1 and SHA-256 of FIPS 180-4 have in common. */

/** Bytes or a text's UTF-8, a bit 1, zeros, and the length in bits: whole blocks of 64 bytes. */
export function paddedBlocks(content: string | Uint8Array): DataView {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  const blocks = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64)
  blocks.set(bytes)
  blocks[bytes.length] = 0x80
  const view = new DataView(blocks.buffer)
  view.setBigUint64(blocks.length - 8, BigInt(bytes.length) * 8n)
  return view
}

/** Words of 32 bits in hexadecimal. */
export function hexOf(words: Int32Array): string {
  return Array.from(words, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
}
