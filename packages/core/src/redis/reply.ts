import { type StoreError, storeError } from '../errors.ts'
import type { Policy } from '../policy.ts'
import { makeRow, withEra } from '../row.ts'
import type { Check, Question, Reason, StoreRow, StoreRows, Summary } from '../store.ts'
import { partsOf } from '../strategies/policy-parts.ts'
import { instantText } from '../units.ts'

/** What no script of ours answers: the server is another program, or something between has mixed up its replies. */
export function malformed(): StoreError {
  return storeError('redis', 'the store gave a malformed reply')
}

export function listOf(reply: unknown): readonly unknown[] {
  if (Array.isArray(reply)) return reply
  throw malformed()
}

/** An integer of a reply, at least so much; a client may be set to show it as a text. */
export function integerOf(value: unknown, least = 0): number {
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value
  if (typeof number === 'number' && Number.isInteger(number) && number >= least) return number
  throw malformed()
}

/** The server's time in µs, as TIME answers it. */
export function timeOf(reply: unknown): number {
  const [seconds, us] = listOf(reply)
  return integerOf(seconds) * 1_000_000 + integerOf(us)
}

/** How many numbers decideOne.lua answers, the time among them. */
const numbersOfOne = 7
/** By status; what is left out is none. */
const reasons: readonly (Reason | null | undefined)[] = [
  null,
  'limited',
  'blocked',
  'too-costly',
  undefined,
  undefined,
  'banned',
]

/** Why a script refuses, or null. */
export function reasonOf(status: number): Reason | null {
  const reason = reasons[status]
  if (reason === undefined) throw malformed()
  return reason
}

/** What a script says of one check: its numbers, and the receipt. */
interface ScriptRow {
  readonly status: number
  /** 0: the policy's own. */
  readonly limit: number
  readonly remaining: number
  readonly waitUs: number
  readonly resetAfterUs: number
  /** 0: nothing was taken. */
  readonly receipt: unknown
}

/** The row in a reply of decideOne.lua. */
export function readOne(
  { question, check }: { readonly question: Question; readonly check: Check },
  reply: readonly unknown[],
): StoreRows {
  if (reply.length !== numbersOfOne) throw malformed()
  const said: ScriptRow = {
    status: integerOf(reply[1]),
    limit: integerOf(reply[2]),
    remaining: integerOf(reply[3]),
    waitUs: integerOf(reply[4], -1),
    resetAfterUs: integerOf(reply[5]),
    receipt: reply[6],
  }
  return [rowOf(said, check, { question, serverUs: integerOf(reply[0]) })]
}

/** The bits of a packed row's first byte, and what stands there in the place of a row. */
const [statusBits, limitBit, late, failed] = [7, 8, 4, 5]

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** Reads the rows that decide.lua has packed, question after question. */
export class PackedRows {
  readonly #bytes: DataView
  readonly #reply: readonly unknown[]
  readonly #serverUs: number
  #at = 0
  /** Texts stand behind the three first values of a reply. */
  #nextText = 3

  constructor(reply: readonly unknown[]) {
    const [, , bytes] = reply
    if (!(bytes instanceof Uint8Array)) throw malformed()
    this.#bytes = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#reply = reply
    this.#serverUs = integerOf(reply[0])
  }

  /** `late`: the question came too late, and has taken nothing. An Error: it failed, alone. */
  next(question: Question): StoreRows | 'late' | Error {
    const first = this.#at < this.#bytes.byteLength ? this.#bytes.getUint8(this.#at) : undefined
    if (first === late || first === failed) {
      this.#at++
      return first === late ? 'late' : new Error(this.#text())
    }
    const { checks } = question
    const rows: StoreRow[] = new Array(checks.length)
    for (let i = checks.length - 1; i >= 0; i--) {
      const check = checks[i]
      if (check !== undefined) rows[i] = this.#row(check, question)
    }
    return checks.length > 1 ? this.#withSummary(rows, checks) : rows
  }

  /** Throws where anything is left. */
  end(): void {
    if (this.#at !== this.#bytes.byteLength || this.#nextText !== this.#reply.length) throw malformed()
  }

  #row(check: Check, question: Question): StoreRow {
    const first = this.#byte()
    if ((first & ~(statusBits | limitBit)) !== 0) throw malformed()
    const remaining = this.#whole(0)
    const waitUs = this.#whole(-1)
    const resetAfterUs = this.#whole(0)
    const receipt = this.#whole(-1)
    const said: ScriptRow = {
      status: first & statusBits,
      limit: (first & limitBit) === 0 ? 0 : this.#whole(0),
      remaining,
      waitUs,
      resetAfterUs,
      receipt: receipt === -1 ? this.#text() : receipt,
    }
    const row = rowOf(said, check, { question, serverUs: this.#serverUs })
    const taken = question.upTo === undefined ? 0 : this.#whole(0)
    return taken === 0 ? row : { ...row, taken }
  }

  /** What the script has folded of the policies that bind, and the smallest of their limits. */
  #withSummary(rows: StoreRow[], checks: readonly Check[]): StoreRows {
    const limited = this.#byte()
    const remaining = this.#whole(0)
    const waitSeconds = this.#whole(-1)
    const resetSeconds = this.#whole(0)
    if (limited > 1) throw malformed()
    let least = Number.POSITIVE_INFINITY
    for (let i = 0; i < rows.length; i++) {
      if (checks[i]?.shadow === false) least = Math.min(least, rows[i]?.limit ?? least)
    }
    if (least === Number.POSITIVE_INFINITY) return rows
    const summary: Summary = [limited === 0 ? 0 : 1, least, remaining, waitSeconds, resetSeconds]
    return Object.assign(rows, { summary })
  }

  #byte(): number {
    if (this.#at >= this.#bytes.byteLength) throw malformed()
    return this.#bytes.getUint8(this.#at++)
  }

  /** A whole number, at least so much; a fraction is cut off. */
  #whole(least: number): number {
    if (this.#at + 8 > this.#bytes.byteLength) throw malformed()
    const number = Math.trunc(this.#bytes.getFloat64(this.#at, true)) + 0
    this.#at += 8
    if (number >= least && number <= 2 ** 53) return number
    throw malformed()
  }

  #text(): string {
    const text = this.#reply[this.#nextText++]
    if (text instanceof Uint8Array) return utf8.decode(text)
    throw malformed()
  }
}

/** `serverUs`: the instant of the call, which stands before the receipt, as a key may be reset meanwhile. */
function rowOf(
  said: ScriptRow,
  { policy }: Check,
  { question: { maxWaitUs }, serverUs }: { question: Question; serverUs: number },
): StoreRow {
  const reason = reasonOf(said.status)
  const reserved = maxWaitUs > 0 && reason === null
  if (reserved && said.waitUs < 0) throw malformed()
  const numbers = {
    limit: said.limit === 0 ? partsOf(policy).units : said.limit,
    remaining: said.remaining,
    retryAfterUs: reserved ? 0 : said.waitUs,
    resetAfterUs: said.resetAfterUs,
    waitUs: reserved ? said.waitUs : 0,
  }
  return makeRow(numbers, reason, markedReceipt(said.receipt, policy, serverUs))
}

export function markedReceipt(said: unknown, policy: Policy, serverUs: number): string | number {
  const receipt = readReceipt(said)
  if (receipt === '' || partsOf(policy).tellsCounts) return receipt
  return withEra(instantText(serverUs), typeof receipt === 'number' ? instantText(receipt) : receipt)
}

function readReceipt(receipt: unknown): string | number {
  if (receipt === 0 || receipt === '0') return ''
  if (typeof receipt === 'string' || Number.isInteger(receipt)) return receipt as string | number // as was just asked
  throw malformed()
}
