import type { Entry } from '../log/entry.ts'
import { hopsIn } from './hops.ts'
import type { Trusts } from './trust.ts'

/** How certain it is that a field holds the clients. */
export type Confidence = 'sure' | 'likely' | 'a guess'

/** Which field of a log is taken for the client. */
export interface Choice {
  /** The field whose addresses another hop has written, such as `X-Forwarded-For`; null if there is none. */
  readonly chain: string | null
  /** The field of the address that the server saw itself; null if there is none. */
  readonly peer: string | null
  /** A field that may as well hold the clients; null if there is none. */
  readonly rival: string | null
  /** How many hops before the client are proxies that nobody has named. */
  readonly proxies: number
  readonly confidence: Confidence
  readonly why: string
}

/** The client's address in a line: the last hop that is no proxy's. */
export function clientIn(entry: Entry, { chain, peer, proxies }: Choice, trusts: Trusts): string | undefined {
  const near = peer === null ? undefined : hopsIn(entry.field(peer))
  const far = chain === null ? undefined : hopsIn(entry.field(chain))
  return clientOf([...(far ?? []), ...(near ?? [])], proxies, trusts)
}

function clientOf(hops: readonly string[], proxies: number, trusts: Trusts): string | undefined {
  const at = strangerAt(hops, trusts)
  const behind = hops[Math.max(0, at - proxies)]
  // Where a client's own network stands behind its public address, that address is the client.
  return behind === undefined || trusts(behind) ? hops[Math.max(0, at)] : behind
}

/** The place of the last hop that is not trusted; 0 where all are trusted, −1 where there is no hop. */
export function strangerAt(hops: readonly string[], trusts: Trusts): number {
  let at = hops.length - 1
  while (at > 0 && trusts(hops[at] ?? '')) at--
  return at
}
