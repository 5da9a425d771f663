import { type Clock, realClock } from '../clock.ts'
import { stateFormat, stateKey } from '../key.ts'
import { sameLines } from '../line.ts'
import type { Policy } from '../policy.ts'
import { RandomMark } from '../runtime.ts'
import type { Change, Check, Command, HeldLease, InLine, LinePlace, Preparing, Renewal } from '../store.ts'
import { Batches, type InParts } from './batches.ts'
import type { CallParts, ScriptCall } from './check-arguments.ts'
import { withoutKeys } from './client-errors.ts'
import { type Connection, LaterScript, type Script, sendToAll } from './connection.ts'
import { ConstantScripts } from './constant-calls.ts'
import type { Includes, MainScript } from './lua-text.ts'
import {
  adjustCall,
  lineCall,
  manageCall,
  readLines,
  readManaged,
  readRenewals,
  renewCall,
} from './manage-calls.ts'
import { RecentRefusals } from './recent-refusals.ts'
import { integerOf, malformed } from './reply.ts'
import { Scripts } from './scripts.ts'
import { ServerDeadlines } from './server-deadlines.ts'

export interface RedisStoreParts {
  readonly connection: Connection
  /** Stands before every key. */
  readonly prefix: string
  /** A script that starts later than this after its call was sent takes nothing; 0: no bound. */
  readonly deadlineUs: number
  readonly clock?: Clock | undefined
  /** For how long a refusal is repeated without asking the server. @default 0: not at all */
  readonly refusalsUs?: number | undefined
  /** Shared Lua pieces in place of the shipped ones of the same name, for tests. */
  readonly includes?: Includes | undefined
  /** Tells each call from all others, in their order; for tests, where several stores are one process. @default by a mark of its own */
  readonly nextCall?: (() => string) | undefined
}

/** The arguments of a call that has no keys and is too late: it decides nothing, and so only loads its script. */
const forNothing = [0, 1, '', 1, 0]
/** How many leases, or callers in line, one script call has at most: a longer script would hold up all other clients. */
const mostRenewals = 500
const mostInLine = 100

function checksOf(all: readonly { readonly check: Check }[]): readonly Check[] {
  return all.map(({ check }) => check)
}

/** Asks for all, at most this many in one call, and answers in their order. */
async function inChunks<Each, Answer>(
  all: readonly Each[],
  most: number,
  ask: (some: readonly Each[]) => Promise<readonly Answer[]>,
): Promise<readonly Answer[]> {
  const answers: Promise<readonly Answer[]>[] = []
  for (let i = 0; i < all.length; i += most) answers.push(ask(all.slice(i, i + most)))
  return (await Promise.all(answers)).flat()
}

/** The probe writes, as decisions do: a replica, a full server, or one that forbids scripts would still answer TIME. */
const probe: Script = /* @__PURE__ */ new LaterScript(() => "redis.call('PSETEX', KEYS[1], 1, '') return 1")

/** The script calls of a store, each an atomic step on the clock of the server that runs it. */
export class Calls {
  readonly batches: Batches
  readonly refusals: RecentRefusals | undefined
  readonly #deadlines: ServerDeadlines
  readonly #connection: Connection
  readonly #parts: CallParts
  readonly #scripts: { readonly [name in MainScript]: Scripts } & { readonly constant: ConstantScripts }
  /** Distinguishes this store's calls from those of all others. */
  readonly #mark = new RandomMark()
  #calls = 0
  #begun = false
  /** Scripts of the limiters so far that were not sent yet. */
  readonly #unloaded = new Set<Script>()

  constructor(parts: RedisStoreParts, inParts: InParts) {
    const { connection, prefix, deadlineUs, clock = realClock, refusalsUs = 0, includes } = parts
    this.#deadlines = new ServerDeadlines(connection, { clock, deadlineUs })
    this.#connection = connection
    this.#parts = {
      prefix: prefix + stateFormat,
      nextCall: parts.nextCall ?? (() => `${this.#mark.text}${(this.#calls++).toString(36)}`),
      serverUs: (key) => this.#deadlines.clockFor(key).latest(clock.nowUs()),
    }
    const scripts = (name: MainScript) => new Scripts(name, includes)
    this.#scripts = {
      decide: scripts('decide'),
      decideOne: scripts('decideOne'),
      constant: new ConstantScripts(includes),
      adjust: scripts('adjust'),
      manage: scripts('manage'),
      renew: scripts('renew'),
      line: scripts('line'),
    }
    this.refusals = refusalsUs > 0 ? new RecentRefusals(refusalsUs) : undefined
    this.batches = new Batches({
      connection,
      deadlines: this.#deadlines,
      call: this.#parts,
      scripts: this.#scripts,
      inParts,
      refusals: this.refusals,
    })
  }

  get clock(): Clock {
    return this.#deadlines.clock
  }

  get deadlineUs(): number {
    return this.#deadlines.deadlineUs
  }

  /** The name of a check's state on the server. */
  keyOf(check: Check): string {
    return stateKey(this.#parts.prefix, check)
  }

  adjust(changes: readonly Change[]): Promise<void> {
    const adjust = () => this.#adjustAll(changes)
    return this.refusals?.during(checksOf(changes), adjust) ?? adjust()
  }

  /** Sent behind all questions about these keys that were asked before it. */
  async #adjustAll(changes: readonly Change[]): Promise<void> {
    for (const { check } of changes) this.batches.sendIfAsked(check)
    const call = adjustCall(changes, this.#parts)
    const script = this.#scripts.adjust.for(checksOf(changes))
    // Says how many of the changes met a key.
    if (integerOf(await this.#run(script, call)) > changes.length) throw malformed()
  }

  renew(held: readonly HeldLease[]): Promise<readonly Renewal[]> {
    return inChunks(held, mostRenewals, (some) => this.#renewSome(some))
  }

  async #renewSome(held: readonly HeldLease[]): Promise<readonly Renewal[]> {
    const script = this.#scripts.renew.for(checksOf(held))
    return readRenewals(held, await this.#run(script, renewCall(held, this.#parts)))
  }

  line(callers: readonly InLine[]): Promise<readonly LinePlace[]> {
    return inChunks(callers, mostInLine, (some) => this.#lineSome(some))
  }

  async #lineSome(callers: readonly InLine[]): Promise<readonly LinePlace[]> {
    const lines = sameLines(callers)
    const script = this.#scripts.line.for(checksOf(lines))
    const read = (reply: readonly unknown[]) => readLines(lines, reply)
    const call = { script, ...lineCall(lines, this.#parts), read }
    return this.#deadlines.run(call, { askedUs: this.clock.nowUs() })
  }

  /** Sent behind all questions that were asked before it. */
  manage(command: Command): Promise<unknown> {
    const manage = () => this.#manageOne(command)
    if (command.op === 'inspect') return manage()
    return this.refusals?.during([command.check], manage) ?? manage()
  }

  async #manageOne(command: Command): Promise<unknown> {
    this.batches.sendAll()
    const script = this.#scripts.manage.for([command.check])
    return readManaged(command, await this.#run(script, manageCall(command, this.#parts)))
  }

  async #run(script: Script, { keys, args }: ScriptCall): Promise<unknown> {
    try {
      return await this.#connection.run(script, keys, args)
    } catch (error) {
      throw withoutKeys(error)
    }
  }

  /** Asks a server for its time. Resolves once that answers; then its clock is known. */
  ready(): Promise<void> {
    return this.#deadlines.askTime()
  }

  /** Asks for the time too, as a client for a cluster then looks for masters that have moved. */
  async probe(): Promise<void> {
    const { prefix, nextCall } = this.#parts
    // No state's key, and in another slot of a cluster each time.
    const keys = [`${prefix}{%p${nextCall()}}`]
    const [reply] = await Promise.all([this.#run(probe, { keys, args: [] }), this.ready()])
    if (integerOf(reply) !== 1) throw malformed()
  }

  /** Does what `ready` does, also for every server of a cluster, and sends each the scripts. */
  async begin(): Promise<void> {
    await this.ready()
    this.#begun = true
    await Promise.all([this.#deadlines.askTimes(), this.#load()])
  }

  /** Loads the scripts of a limiter ahead of its first call. Errors are left to that call. */
  prepare(policies: readonly Policy[], { constant }: Preparing): void {
    const checks = policies.map((policy) => ({ policy }))
    for (const check of checks) {
      const own = constant ? this.#scripts.constant.add(check.policy) : undefined
      this.#unloaded.add(own ?? this.#scripts.decideOne.for([check]))
    }
    const many = constant ? this.#scripts.constant.addMany(policies) : undefined
    if (many !== undefined) this.#unloaded.add(many)
    if (checks.length > 0) this.#unloaded.add(this.#scripts.decide.for(checks))
    if (this.#begun) void this.#load()
  }

  /** Loads scripts by the command that decides: the Redis user may not be allowed others. */
  async #load(): Promise<void> {
    const scripts = [...this.#unloaded]
    this.#unloaded.clear()
    await Promise.allSettled(
      scripts.map(({ text }) => sendToAll(this.#connection, 'EVAL', [text, ...forNothing])),
    )
  }
}
