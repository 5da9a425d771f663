/** CRC16 as XMODEM has it, byte by byte: what a cluster makes slots of. */
const crcOfByte = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1
  return crc
})

const slots = 16_384

/** The slot of a cluster that holds a key: that of its tag, which is what its first pair of braces holds, unless that is nothing. */
export function slotOf(name: string): number {
  const open = name.indexOf('{')
  const close = open < 0 ? -1 : name.indexOf('}', open + 1)
  const tagged = close > open + 1
  return tagged ? crcOf(name, open + 1, close) % slots : crcOf(name, 0, name.length) % slots
}

function crcOf(text: string, from: number, to: number): number {
  let crc = 0
  for (let i = from; i < to; i++) {
    const code = text.charCodeAt(i)
    if (code > 0x7f) return crcOfBytes(new TextEncoder().encode(text.slice(from, to)))
    crc = step(crc, code)
  }
  return crc
}

function crcOfBytes(bytes: Uint8Array): number {
  let crc = 0
  for (const byte of bytes) crc = step(crc, byte)
  return crc
}

function step(crc: number, byte: number): number {
  return ((crc << 8) & 0xffff) ^ (crcOfByte[(crc >> 8) ^ byte] ?? 0)
}
