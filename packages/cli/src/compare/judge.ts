import { oneLine } from '../one-line.ts'
import { placeWords } from './client/lines.ts'
import { isPrivate } from './client/trust.ts'
import type { Input } from './comparison.ts'
import type { Findings } from './log/findings.ts'
import { count, counted, lackingWords } from './words.ts'

/** A log whose clients cannot be right: what would be reported of them would be false. */
export class UnjudgedError extends Error {}

export interface Judged {
  readonly source: string
  readonly traffic: Pick<Input, 'requests' | 'clients' | 'requestsOfOthers'>
  readonly findings: Findings
  /** Whether the command line has named the field: then only unreadable lines, or lines without an address, are a reason not to judge. */
  readonly named: boolean
}

/** Fewer requests are not judged. */
const fewestRequests = 50
/** From this share of clients to requests on, each request has a client of its own. */
const nearlyAll = 0.95

/** Throws an UnjudgedError with a sentence that says what to do. */
export function judge(judged: Judged): void {
  const why =
    mostBroken(judged) ??
    noAddresses(judged) ??
    (judged.named ? undefined : (unclear(judged) ?? proxiesAlone(judged) ?? allStrangers(judged)))
  if (why !== undefined) throw new UnjudgedError(`cannot judge ${oneLine(judged.source)}: ${why}`)
}

/** More requests could not be read than could, and these may be another program's. Where none was read, the report says so itself. */
function mostBroken({ traffic: { requests }, findings }: Judged): string | undefined {
  const { broken, facts } = findings
  const first = facts.firstMalformed
  if (requests === 0 || broken <= requests || first === null) return undefined
  const place = `${oneLine(first.source)}:${first.line}: ${oneLine(first.reason)}`
  return `${counted(broken, 'line')} with a request could not be read, more than the ${count(requests)} that could; the first is ${place}. Give each kind of line to the command by itself`
}

const nameIt =
  "name the field that has the client's address with --client, a name such as request.client_ip or a number such as 2"

function noAddresses({ traffic: { requests }, findings, named }: Judged): string | undefined {
  const { withoutKey, lacking } = findings.facts
  if (withoutKey === 0 || withoutKey <= requests) return undefined
  const share = `${count(withoutKey)} of ${counted(withoutKey + requests, 'request')}`
  if (lacking !== null && lacking.field !== 'ip')
    return `${share} have ${lackingWords(lacking, 'the first of them')}`
  const what = `${share} have no address`
  if (named) return `${what} in the field that --client names; --key field:NAME counts by what is no address`
  return `${what} of a client; ${nameIt}, or count by another field with --key field:NAME`
}

/** Two fields hold addresses: one those of clients, the other those of a content network's nodes, and it is not clear which. */
function unclear({ findings }: Judged): string | undefined {
  const choice = findings.facts.clients.find(({ rival }) => rival !== null)
  if (choice === undefined || choice.rival === null) return undefined
  const [one, other] = [choice.chain ?? choice.peer ?? '', choice.rival].map(placeWords)
  return `${one} and ${other} both hold addresses that may be the client's; ${nameIt}`
}

/** Only a proxy is seen, or the nodes of a balancer, which get equal shares. */
function proxiesAlone({ traffic: { requests }, findings }: Judged): string | undefined {
  const few = findings.fewClients
  if (few === undefined || few.size === 0 || ![...few.keys()].every(isPrivate)) return undefined
  const counts = [...few.values()]
  const equal = Math.min(...counts) * 2 >= Math.max(...counts) && requests >= fewestRequests
  if (few.size > 1 && !equal) return undefined
  const names = [...few.keys()].join(', ')
  const whose =
    few.size === 1
      ? `one client, ${names}, a private address`
      : `${few.size} clients, ${names}, private addresses with equal shares`
  return `all ${counted(requests, 'request')} have ${whose}: a proxy in front. Let the server log what the proxy says of the client, such as "$http_x_forwarded_for" in the log_format of nginx or %{X-Forwarded-For}i in the LogFormat of Apache; if these are the clients, ${nameIt}`
}

function allStrangers({ traffic: { requests, clients, requestsOfOthers } }: Judged): string | undefined {
  if (requests < fewestRequests || requestsOfOthers > 0 || clients < requests * nearlyAll) return undefined
  return `nearly each of ${counted(requests, 'request')} has a client of its own (${count(clients)}), so that no limit would refuse anybody: this may be no field of clients; ${nameIt}`
}
