import type { HeldLease, Question, StoreRows } from '@sluice/core'
import type { Code } from '../inside/load.ts'
import { type Asked, readBatch, readOneCall, type Words } from './calls.ts'
import { readAdjust, readLine, readManage, readRenew } from './corrections.ts'
import { Data } from './data.ts'
import { ListQueueData } from './list-queue.ts'
import { ListsData } from './lists.ts'
import type { KnownPolicies } from './policies.ts'
import { QueueData } from './queue.ts'
import { batchReply, type Outcome, oneReply } from './replies.ts'
import type { Kind, KnownScript } from './scripts.ts'

/** Why a server refuses to write. */
export type NoWrites = 'READONLY' | 'OOM' | 'MISCONF'

const saidOf: Readonly<Record<NoWrites, string>> = {
  READONLY: "READONLY You can't write against a read only replica.",
  OOM: "OOM command not allowed when used memory > 'maxmemory'.",
  MISCONF: 'MISCONF Redis is configured to save RDB snapshots, but it cannot.',
}

/** Units that a call has taken, for the record. */
export interface Taken {
  readonly key: string
  readonly code: string
  readonly units: number
  /** Whether they were asked for by a call that takes as much as fits. */
  readonly isPart: boolean
  readonly serverUs: number
  /** The receipt as the caller's store spells it, without an instant before it. */
  readonly receipt: string | number
  /** What the call says of its caller; undefined where the strategy keeps no notes. */
  readonly note: string | undefined
}

/** The units that a client of a shared key has asked for. */
interface Wished {
  readonly key: string
  readonly note: string
  readonly units: number
  readonly taken: number
  readonly serverUs: number
}

/** The effects of one call. */
export interface Ran {
  readonly reply: unknown
  readonly taken: readonly Taken[]
  /** What clients of shared keys have asked for. */
  readonly wished: readonly Wished[]
  /** The leases that go on, by the receipts of their takes. */
  readonly renewed: readonly HeldLease[]
}

const none: readonly never[] = []
/** The code of the strategy whose keys several clients share. */
const fairShare = 'fs'
/** How long each check of a measured call takes. */
const checkUs = 3

/** Runs script calls at instants of its own clock, one after another, on what it has stored. */
export class Server {
  readonly #code: Code
  readonly #policies: KnownPolicies
  data: Data
  lists: ListsData = new ListsData()
  #queue = new QueueData()
  #listQueue = new ListQueueData()
  noWrites: NoWrites | undefined
  /** The digests of scripts that the server knows. */
  readonly known: Map<string, Kind> = new Map()
  #generation = 0

  constructor(code: Code, policies: KnownPolicies) {
    this.#code = code
    this.#policies = policies
    this.data = this.emptyData()
  }

  emptyData(): Data {
    return new Data(this.#code, `d${this.#generation++}-`)
  }

  loseData(): void {
    this.data = this.emptyData()
    this.lists = new ListsData()
    this.#queue = new QueueData()
    this.#listQueue = new ListQueueData()
  }

  /** Runs a script. `text`: its text is sent, and known from now on. Throws what the server answers as an error. */
  run(script: KnownScript, { words, text, nowUs }: { words: Words; text: boolean; nowUs: number }): Ran {
    if (text) this.known.set(script.sha, script.kind)
    else if (!this.known.has(script.sha)) throw new Error('NOSCRIPT No matching script. Please use EVAL.')
    return this.replay(script.kind, words, nowUs)
  }

  /** Runs a call again, on other data. */
  replay(kind: Kind, words: Words, nowUs: number): Ran {
    switch (kind) {
      case 'decideOne':
        return this.#decideOne(words, nowUs)
      case 'decide':
        return this.#decide(words, nowUs)
      case 'adjust':
        return this.#adjust(words, nowUs)
      case 'manage':
        return this.#manage(words, nowUs)
      case 'renew':
        return this.#renew(words, nowUs)
      case 'entries':
        return ran(this.lists.entries(words, nowUs))
      case 'enlist':
        return this.#written(() => this.lists.enlist(words, nowUs))
      case 'publish':
        return this.#written(() => this.lists.publish(words))
      case 'act':
        return this.#written(() => this.lists.act(words))
      case 'line':
        return this.#line(words, nowUs)
      case 'probe':
        this.#mustWrite()
        return ran(1)
      case 'list: offer':
      case 'list: pop':
      case 'list: read':
      case 'list: return':
      case 'list: status':
      case 'list: health':
        return ran(this.#listQueue.run(kind, words, { nowUs, mustWrite: this.#mustWriteMore }))
      default:
        return ran(this.#queue.run(kind, words, { nowUs, mustWrite: this.#mustWriteMore }))
    }
  }

  #mustWrite(): void {
    if (this.noWrites !== undefined) throw new Error(saidOf[this.noWrites])
  }

  /** Throws where the server cannot write. A server without memory left still runs calls that only change or delete. */
  readonly #mustWriteMore = (more: boolean): void => {
    if (more || this.noWrites !== 'OOM') this.#mustWrite()
  }

  #decideOne(words: Words, nowUs: number): Ran {
    // A call that only loads the script has an instant that is over, and no keys.
    if (words.args[0] !== '0' && nowUs > Number(words.args[0])) return ran([nowUs])
    const asked = readOneCall(words, this.#policies)
    const outcome = this.#outcomeOf(asked, nowUs)
    if (outcome === 'late') return ran([nowUs])
    if (outcome instanceof Error) throw outcome
    return {
      reply: oneReply(asked, outcome, nowUs),
      taken: takenBy(asked.question, outcome, nowUs),
      wished: wishedBy(asked.question, outcome, nowUs),
      renewed: none,
    }
  }

  #decide(words: Words, nowUs: number): Ran {
    if (words.keys.length === 0) return ran([nowUs, 0, new Uint8Array()])
    const asked = readBatch(words, this.#policies)
    const taken: Taken[] = []
    const wished: Wished[] = []
    const outcomes = asked.map((each) => {
      const outcome = this.#outcomeOf(each, nowUs)
      if (outcome === 'late' || outcome instanceof Error) return outcome
      taken.push(...takenBy(each.question, outcome, nowUs))
      wished.push(...wishedBy(each.question, outcome, nowUs))
      return outcome
    })
    const spentUs = words.keys.length >= 4 ? words.keys.length * checkUs : 0
    return { reply: batchReply(asked, outcomes, { serverUs: nowUs, spentUs }), taken, wished, renewed: none }
  }

  #outcomeOf({ question, notAfterUs }: Asked, nowUs: number): Outcome {
    if (notAfterUs !== 0 && nowUs > notAfterUs) return 'late'
    if (this.noWrites === undefined) return this.data.decide(question, nowUs)
    // A refusal writes nothing, unless its policy blocks.
    const rows = this.data.look(question, nowUs)
    const writes =
      rows.some(({ allowed }) => allowed) || question.checks.some(({ policy }) => this.#blocks(policy))
    return question.take && writes ? new Error(saidOf[this.noWrites]) : rows
  }

  #blocks(policy: Question['checks'][number]['policy']): boolean {
    const { blocking, definition } = this.#code.partsOf(policy)
    return blocking !== undefined || definition.begin !== undefined
  }

  #written(write: () => unknown): Ran {
    this.#mustWrite()
    return ran(write())
  }

  #adjust(words: Words, nowUs: number): Ran {
    this.#mustWrite()
    const corrected = readAdjust(words, this.#policies)
    this.data.adjust(corrected, nowUs)
    return ran(corrected.length)
  }

  #manage(words: Words, nowUs: number): Ran {
    const managed = readManage(words, this.#policies)
    if (managed.command.op !== 'inspect') this.#mustWrite()
    const snapshot = this.data.manage(managed, nowUs)
    if (snapshot === undefined) return ran(1)
    const { row, blockedUs, blocks = 0, banned, entries } = snapshot
    const status =
      row.reason === null
        ? 0
        : row.reason === 'too-costly'
          ? 3
          : row.reason === 'limited'
            ? 1
            : banned
              ? 6
              : 2
    const numbers = [row.limit, row.remaining, row.retryAfterUs, row.resetAfterUs]
    const noted = entries.flatMap(({ note, agoUs }) => [note, nowUs - agoUs])
    return ran([nowUs, status, ...numbers, blockedUs ?? 0, blocks, ...noted])
  }

  #renew(words: Words, nowUs: number): Ran {
    this.#mustWrite()
    const held = readRenew(words, this.#policies)
    const outcomes = this.data.renew(held, nowUs)
    const reply = outcomes.map((outcome) => ({ lost: 0, regained: 1, held: 2 })[outcome])
    return { reply, taken: none, wished: none, renewed: held.filter((_, i) => outcomes[i] !== 'lost') }
  }

  #line(words: Words, nowUs: number): Ran {
    this.#mustWrite()
    const taken: Taken[] = []
    const lines = readLine(words, this.#policies, nowUs).map((callers) => {
      const { places, anew } = this.data.line(callers, nowUs)
      for (const { check, id } of anew)
        taken.push({
          key: check.key,
          code: check.id,
          units: check.cost,
          isPart: false,
          serverUs: nowUs,
          receipt: id,
          note: undefined,
        })
      const row = places.find(({ row }) => !row.allowed)?.row ?? places[0]?.row
      if (row === undefined) throw new Error('a line without callers')
      const blockedUs = row.reason === 'blocked' ? row.retryAfterUs : 0
      const said = places.map(({ row, waits }) => (row.allowed ? 2 : waits ? 1 : 0))
      return [blockedUs, row.remaining, row.retryAfterUs, row.resetAfterUs, ...said]
    })
    return { reply: [nowUs, ...lines], taken, wished: none, renewed: none }
  }
}

function ran(reply: unknown): Ran {
  return { reply, taken: none, wished: none, renewed: none }
}

/** What clients asked for. A call that takes as much as fits, and gets nothing, has asked for one unit. */
function wishedBy({ checks, take, upTo }: Question, rows: StoreRows, serverUs: number): readonly Wished[] {
  if (!take) return none
  return checks.flatMap(({ key, id, cost, note = '' }, i) => {
    const row = rows[i]
    if (id !== fairShare || row === undefined || cost === 0) return []
    const taken = row.receipt === '' ? 0 : (row.taken ?? cost)
    const units = upTo === undefined ? cost : taken || cost / upTo
    return [{ key, note, units, taken, serverUs }]
  })
}

function takenBy({ checks, upTo }: Question, rows: StoreRows, serverUs: number): readonly Taken[] {
  const isPart = upTo !== undefined
  return checks.flatMap(({ key, id: code, cost, note }, i) => {
    const { receipt = '', taken: units = cost } = rows[i] ?? {}
    return receipt === '' ? [] : [{ key, code, units, isPart, serverUs, receipt, note }]
  })
}
