import type { IncomingMessage } from 'node:http'
import { optionError } from '@sluice/core/internal'
import { hostNameOf, isLoopbackAddress, isLoopbackName } from '@sluice/http/internal'

const hostName = /^(?:[a-z\d_.-]{1,253}|\[[\da-f:.]{2,45}\])$/

/** Lower-case names, as `hostNameOf` answers them. */
export type Hosts = ReadonlySet<string>

export function readHosts(hosts: unknown): Hosts | undefined {
  if (hosts === undefined) return undefined
  if (!Array.isArray(hosts)) throw optionError('hosts', 'a list of host names', hosts)
  return new Set(hosts.map(readHost))
}

function readHost(host: unknown, at: number): string {
  const name = typeof host === 'string' ? hostNameOf({ headers: { host } }) : undefined
  if (name !== undefined && hostName.test(name) && name === String(host).toLowerCase()) return name
  throw optionError(`hosts[${at}]`, 'a host name such as "zoo.example", without scheme, port and path', host)
}

/**
 * Why the request's `Host` is refused; undefined when it is not. By DNS rebinding a page of another name could share the
 * dashboard's origin in a browser, and read all of it.
 */
export function hostFault(request: IncomingMessage, hosts: Hosts | undefined): string | undefined {
  const name = hostNameOf(request)
  if (isLoopbackName(name) || (name !== undefined && hosts?.has(name))) return undefined
  // Reached from elsewhere: its names are known only from the option.
  if (hosts === undefined && !isLoopbackAddress(request.socket.localAddress)) return undefined
  // Anything else is not a name that fits into an option.
  const asked = name !== undefined && hostName.test(name) ? `the host name "${name}"` : 'this host name'
  return `This dashboard does not know ${asked}: if it is yours, add it to the option "hosts".`
}
