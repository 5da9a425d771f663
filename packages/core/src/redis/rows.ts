import { makeRow } from '../row.ts'
import type { Check, Question, StoreRow, StoreRows, Summary } from '../store.ts'
import { partsOf, withInstant } from '../strategies/policy-parts.ts'
import { integerOf, malformed, reasonOf } from './reply.ts'

// The rows in the replies of scripts that decide. A reply is believed only where a script of ours can have made it.

/** How many numbers decideOne.lua answers, the time among them. */
const numbersOfOne = 7
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

/** A question of one check. */
export interface LoneCheck {
  readonly question: Question
  readonly check: Check
}

/** The row in a reply of decideOne.lua. */
export function readOne({ question, check }: LoneCheck, reply: readonly unknown[]): StoreRows {
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

/** The bits of a packed row's first byte, and what stands there in the place of a row, or of all of its numbers but two. */
const [statusBits, limitBit, late, failed, short] = [7, 8, 4, 5, 16]

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

  /** Throws a StoreError where anything is left. */
  end(): void {
    if (this.#at !== this.#bytes.byteLength || this.#nextText !== this.#reply.length) throw malformed()
  }

  #row(check: Check, question: Question): StoreRow {
    const first = this.#byte()
    if (first === short) return this.#shortRow(check, question)
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

  /** The row of a policy that admits, whose receipt is the instant of its reset. */
  #shortRow(check: Check, question: Question): StoreRow {
    const remaining = this.#whole(0)
    const receipt = this.#whole(this.#serverUs)
    const resetAfterUs = receipt - this.#serverUs
    const said: ScriptRow = { status: 0, limit: 0, remaining, waitUs: 0, resetAfterUs, receipt }
    return rowOf(said, check, { question, serverUs: this.#serverUs })
  }

  /** Adds the summary that the script has made of the policies that bind, and the smallest of their limits. */
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

  /** A whole number, at least `least`; a fraction is cut off. */
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

/** `serverUs`: the instant of the call. */
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
  return makeRow(numbers, reason, withInstant(partsOf(policy), serverUs, readReceipt(said.receipt)))
}

function readReceipt(receipt: unknown): string | number {
  if (receipt === 0 || receipt === '0') return ''
  if (typeof receipt === 'string' || Number.isInteger(receipt)) return receipt as string | number // as was just asked
  throw malformed()
}
