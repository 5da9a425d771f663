import { optionError } from '@sluice/core/internal'
import { addressGroups, addressText, firstBits, type Groups, ipv4Bits, unmapped } from './address.ts'

/** All addresses of one family from `first` to `last`. */
interface AddressBlock {
  readonly first: Groups
  readonly last: Groups
}

const prefixLength = /^(?:0|[1-9]\d{0,2})$/
const noTranslator =
  'IPv4 addresses or networks, as clients by way of NAT64 are known by their IPv4 addresses'
const expectedEntry = 'an address or a network such as "192.0.2.1", "10.0.0.0/8" or "2001:db8::/32"'

/**
 * A function that tells whether a canonical address lies in one of the listed addresses and networks. Text
 * that is no address is in no list. Entries that are IPv4 written as IPv6 (mapped, NAT64) stand for IPv4; other
 * IPv6 networks, `::/0` too, hold IPv6 addresses only. A wrong entry is reported to `bad` by its index.
 *
 * @example
 * const isOffice = compileAddressList(['192.0.2.0/24', '2001:db8::7'], bad)
 * isOffice('192.0.2.99') // true
 */
export function compileAddressList(
  list: readonly string[],
  bad: (index: number, expected: string, got: string) => never,
): (address: string) => boolean {
  const ipv4: AddressBlock[] = []
  const ipv6: AddressBlock[] = []
  for (const [index, entry] of list.entries()) {
    const { first, bits } = readNetwork(entry, (expected) => bad(index, expected, entry))
    const family = first.length === 2 ? ipv4 : ipv6
    family.push({ first, last: lastAddress(first, bits) })
  }
  const disjoint4 = withoutNested(ipv4)
  const disjoint6 = withoutNested(ipv6)
  return function isListed(address: string): boolean {
    const groups = addressGroups(address)
    if (groups === undefined) return false
    const plain = unmapped(groups)
    return holds(plain.length === 2 ? disjoint4 : disjoint6, plain)
  }
}

/** The same for an option called `path`; undefined where nothing is listed. */
export function readAddressList(list: unknown, path: string): ((address: string) => boolean) | undefined {
  if (list === undefined) return undefined
  if (!Array.isArray(list)) throw optionError(path, 'a list of addresses and CIDR networks', list)
  if (list.length === 0) return undefined
  return compileAddressList(list, (index, expected, got) => {
    throw optionError(`${path}[${index}]`, expected, got)
  })
}

/** An address, or a network by its first address and the number of its leading bits; IPv4 written as IPv6 is IPv4. */
export interface Network {
  readonly first: Groups
  readonly bits: number
}

/** An address or a network as it is written; `bad` is told what was expected. */
export function readNetwork(entry: string, bad: (expected: string) => never): Network {
  // Programs without types: a number has no indexOf, and the report should name the entry.
  if (typeof entry !== 'string') return bad(expectedEntry)
  const slash = entry.indexOf('/')
  const written = addressGroups(slash < 0 ? entry : entry.slice(0, slash))
  if (written === undefined) return bad(expectedEntry)
  const width = 16 * written.length
  const length = slash < 0 ? String(width) : entry.slice(slash + 1)
  if (!prefixLength.test(length) || Number(length) > width) {
    return bad(`a prefix length from 0 to ${width} behind the slash`)
  }
  const network = firstBits(written, Number(length))
  if (isTranslator(network) && Number(length) <= ipv4Bits) return bad(noTranslator)
  const first = unmapped(network)
  const bits = Number(length) - (width - 16 * first.length)
  if (compare(network, written) !== 0) {
    return bad(`the network "${addressText(first)}/${bits}" (no bits set behind the prefix)`)
  }
  return { first, bits }
}

/**
 * Whether it is `64:ff9b::/96`, whose clients are known by their IPv4 addresses. Read as all of IPv4, which a mapped network of that
 * length is, it would allow or refuse everybody, and read as IPv6 nobody.
 */
function isTranslator(network: Groups): boolean {
  const [a, b, ...rest] = network
  return network.length === 8 && a === 0x64 && b === 0xff9b && rest.every((group) => group === 0)
}

function lastAddress(first: Groups, bits: number): Groups {
  const ones: number[] = []
  for (let i = 0; i < first.length; i++) ones.push(0xffff)
  const kept = firstBits(ones, bits)
  const last: number[] = []
  for (let i = 0; i < first.length; i++) last.push((first[i] ?? 0) | (0xffff ^ (kept[i] ?? 0)))
  return last
}

/** The blocks in order, without those inside another: two networks are nested or apart, they never overlap in part. */
function withoutNested(blocks: readonly AddressBlock[]): readonly AddressBlock[] {
  const sorted = blocks.toSorted((a, b) => compare(a.first, b.first) || compare(b.last, a.last))
  const kept: AddressBlock[] = []
  for (const block of sorted) {
    const before = kept.at(-1)
    if (before === undefined || compare(block.first, before.last) > 0) kept.push(block)
  }
  return kept
}

function holds(disjoint: readonly AddressBlock[], address: Groups): boolean {
  let low = 0
  let high = disjoint.length
  while (low < high) {
    const middle = (low + high) >> 1
    const block = disjoint[middle]
    if (block === undefined) return false
    if (compare(address, block.first) < 0) high = middle
    else if (compare(address, block.last) > 0) low = middle + 1
    else return true
  }
  return false
}

/** Negative, zero or positive, as `a` is below, at or above `b` of the same family. */
function compare(a: Groups, b: Groups): number {
  for (let i = 0; i < a.length; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
