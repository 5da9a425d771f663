import fc from 'fast-check'

/** One of the many ways to write an IPv6 address. */
export interface Spelling {
  readonly pad: boolean
  readonly upper: boolean
  /** The last two groups as an IPv4 address. */
  readonly dotted: boolean
  /** Which of the possible places gets the `::`. */
  readonly gap: number
}

const group = fc.oneof(fc.constant(0), fc.constant(0), fc.constant(0xffff), fc.nat(0xffff))
const ipv6 = fc.array(group, { minLength: 8, maxLength: 8 })
const mapped = fc.tuple(group, group).map((tail) => [0, 0, 0, 0, 0, 0xffff, ...tail])
/** Addresses as eight groups: among them many with zeros, and IPv4 mapped into IPv6. */
export const addresses: fc.Arbitrary<readonly number[]> = fc.oneof(ipv6, ipv6, mapped)
export const spellings: fc.Arbitrary<Spelling> = fc.record({
  pad: fc.boolean(),
  upper: fc.boolean(),
  dotted: fc.boolean(),
  gap: fc.nat(40),
})
/** What an address wears where it is forwarded. */
export const dresses: readonly ((address: string) => string)[] = [
  (address) => address,
  (address) => `[${address}]`,
  (address) => `[${address}]:443`,
  (address) => `"[${address}]:65535"`,
  (address) => `"${address}"`,
  (address) => `  ${address}\t`,
  (address) => `${address}%en0`,
  (address) => `[${address}%12]:1`,
]

export function spell(groups: readonly number[], { pad, upper, dotted, gap }: Spelling): string {
  const parts = groups.map((value) => value.toString(16).padStart(pad ? 4 : 1, '0'))
  if (dotted) parts.splice(6, 2, dottedForm(groups))
  const places: [from: number, to: number][] = []
  const free = dotted ? 6 : 8
  for (let from = 0; from < free; from++) {
    for (let to = from + 1; to <= free && groups[to - 1] === 0; to++) places.push([from, to])
  }
  const place = places[gap % (places.length + 1)]
  const text = place
    ? `${parts.slice(0, place[0]).join(':')}::${parts.slice(place[1]).join(':')}`
    : parts.join(':')
  return upper ? text.toUpperCase() : text
}

export function isMapped(groups: readonly number[]): boolean {
  return groups.slice(0, 6).join() === '0,0,0,0,0,65535'
}

export function dottedForm(groups: readonly number[]): string {
  return groups
    .slice(6)
    .flatMap((value) => [value >> 8, value & 255])
    .join('.')
}
