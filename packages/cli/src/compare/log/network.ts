/**
 * The client as a gate counts it: an IPv6 address cut to its first 64 bits, an IPv4 address that is written as IPv6 the plain one.
 * Whatever else a log calls its client stays as it is.
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  return mapped?.[1] ?? firstHalf(address)
}

function firstHalf(address: string): string {
  const url = `http://[${address.replace(/%.*$/, '')}]/`
  if (!URL.canParse(url)) return address
  const [head = '', tail] = new URL(url).hostname.slice(1, -1).split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const groups = [...left, ...new Array(8 - left.length - right.length).fill('0'), ...right]
  return `${new URL(`http://[${groups.slice(0, 4).join(':')}::]/`).hostname.slice(1, -1)}/64`
}
