import type { Check } from '../store.ts'

function crcOfByte(byte: number): number {
  let crc = byte << 8
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1
  return crc
}

/** The table of CRC16 (XMODEM) by byte, from which a cluster makes slots. Made on first use, as most processes have no cluster. */
let crcs: Uint16Array | undefined

const slots = 16_384

/** The slot of a cluster that holds a key. If the key has a tag, a text in its first pair of braces, that alone counts. */
export function slotOf(name: string): number {
  const open = name.indexOf('{')
  const close = open < 0 ? -1 : name.indexOf('}', open + 1)
  const tagged = close > open + 1
  return tagged ? crcOf(name, open + 1, close) % slots : crcOf(name, 0, name.length) % slots
}

function crcOf(text: string, from: number, to: number): number {
  crcs ??= Uint16Array.from({ length: 256 }, (_, byte) => crcOfByte(byte))
  let crc = 0
  for (let i = from; i < to; i++) {
    const code = text.charCodeAt(i)
    if (code > 0x7f) return crcOfBytes(crcs, new TextEncoder().encode(text.slice(from, to)))
    crc = step(crcs, crc, code)
  }
  return crc
}

function crcOfBytes(table: Uint16Array, bytes: Uint8Array): number {
  let crc = 0
  for (const byte of bytes) crc = step(table, crc, byte)
  return crc
}

function step(table: Uint16Array, crc: number, byte: number): number {
  return ((crc << 8) & 0xffff) ^ (table[(crc >> 8) ^ byte] ?? 0)
}

/** Names the state of a check on the server. */
export type StateKeyOf = (check: Check) => string

/** The checks of one call, and their places in the question. */
export interface Group {
  readonly slot: number
  readonly key: string
  readonly checks: Check[]
  readonly places: number[]
}

/** The slot in which all keys lie; undefined where there are several. */
export function oneSlotOf(checks: readonly Check[], keyOf: StateKeyOf): number | undefined {
  const [first] = checks
  if (first === undefined) return undefined
  const slot = slotOf(keyOf(first))
  for (let i = 1; i < checks.length; i++) {
    const check = checks[i]
    if (check !== undefined && check.key !== first.key && slotOf(keyOf(check)) !== slot) return undefined
  }
  return slot
}

/** One group for each slot, in an order that all processes share. */
export function groupBySlot(checks: readonly Check[], keyOf: StateKeyOf): readonly Group[] {
  const groups = new Map<number, Group>()
  for (const single of eachAlone(checks, keyOf)) {
    const group = groups.get(single.slot)
    if (group === undefined) groups.set(single.slot, single)
    else {
      group.checks.push(...single.checks)
      group.places.push(...single.places)
    }
  }
  return [...groups.values()]
}

/** One group for each check, in an order that all processes share. */
export function eachAlone(checks: readonly Check[], keyOf: StateKeyOf): readonly Group[] {
  return checks
    .map((check, i): Group => {
      const key = keyOf(check)
      return { slot: slotOf(key), key, checks: [check], places: [i] }
    })
    .sort((a, b) => a.slot - b.slot || (a.key < b.key ? -1 : 1))
}

/** Puts a group's answers in their places. */
export function place<T>(all: T[], { places }: Pick<Group, 'places'>, answers: readonly T[]): void {
  for (const [i, at] of places.entries()) {
    const answer = answers[i]
    if (answer !== undefined) all[at] = answer
  }
}
