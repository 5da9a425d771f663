import { stateKey } from '../key.ts'
import type { Policy } from '../policy.ts'
import type { Check, Question } from '../store.ts'
import { partsOf, receiptOf, withInstant } from '../strategies/policy-parts.ts'
import { RowShape } from '../strategies/row-shape.ts'
import type { CallParts } from './check-arguments.ts'
import { type Argument, LaterScript, type Script } from './connection.ts'
import { type Asked, BatchCall, type DecideCall, pushForm, readLone, type Said } from './decide-calls.ts'
import { admitting } from './lua-admitting.generated.ts'
import { type Includes, joinConstant, joinConstantMany, type Numbered } from './lua-text.ts'
import { malformed } from './reply.ts'
import type { LoneCheck } from './rows.ts'
import { fragmentOf } from './scripts.ts'

// The calls for what most callers ask: a unit of policies that the program states. Their numbers are part of the script's text.

/** At most this many policies have scripts of their own, and as many sets of policies: a server keeps what it has loaded. */
const mostConstant = 64
/** A function of Lua has at most 200 variables, and admitMany.lua needs eight for each policy. */
const mostTogether = 16

/** A script for questions of all policies of a limiter. */
interface ManyScript {
  readonly policies: readonly Policy[]
  readonly script: Script
}

/** The scripts of policies whose numbers are part of the program. What most callers ask then needs no argument but an instant. */
export class ConstantScripts {
  readonly #includes: Includes | undefined
  readonly #scripts = new Map<Policy, Script>()
  /** Scripts for several questions, and for one of several policies, by the limiter's first policy. */
  readonly #many = new Map<Policy, ManyScript[]>()
  #sets = 0

  constructor(includes?: Includes) {
    this.#includes = includes
  }

  /** The policy's script, new or not; undefined where it has none. */
  add(policy: Policy): Script | undefined {
    const known = this.#scripts.get(policy)
    if (known !== undefined || this.#scripts.size >= mostConstant || !isPlain(policy)) return known
    // The scripts of other strategies answer as decideOne.lua does.
    const readsState = Object.hasOwn(states, partsOf(policy).definition.name)
    const script = new LaterScript(() => joinConstant(numbered(policy), this.#includes, readsState))
    this.#scripts.set(policy, script)
    return script
  }

  /** The script of a limiter's policies together, if it is a new one; undefined where they have none. */
  addMany(policies: readonly Policy[]): Script | undefined {
    const [first] = policies
    if (first === undefined || policies.length > mostTogether || this.#sets >= mostConstant) return undefined
    if (!policies.every(admitsPlainly)) return undefined
    const known = this.#many.get(first) ?? []
    if (known.some((many) => areSame(many.policies, policies))) return undefined
    const join = () => joinConstantMany(policies.map(numbered), plainForm(policies), this.#includes)
    const script = new LaterScript(join, { bytes: true })
    this.#many.set(first, [...known, { policies, script }])
    this.#sets++
    return script
  }

  /** undefined where the policy has no script, or the question asks for more. */
  callFor(asked: LoneCheck, parts: CallParts): ConstantCall | undefined {
    const { question, check } = asked
    const script = asksPlainly(question) && isPlainCheck(check) ? this.#scripts.get(check.policy) : undefined
    return script && new ConstantCall(script, asked, parts)
  }

  /** The call for all these questions; undefined where they are not of one limiter, or one of them asks for more. */
  callForMany(batch: readonly Asked[], { prefix }: CallParts): BatchCall | undefined {
    const first = batch[0]?.question
    const policy = first?.checks[0]?.policy
    const sets = policy && this.#many.get(policy)
    const many = first && sets?.find(({ policies }) => asksFor(first, policies))
    if (many === undefined) return undefined
    const keys: string[] = []
    for (const { question } of batch) {
      if (!asksPlainly(question) || !asksFor(question, many.policies)) return undefined
      for (const check of question.checks) keys.push(stateKey(prefix, check))
    }
    // The arguments are for the deadlines; see admitMany.lua.
    return new BatchCall(many.script, { keys, args: [0, ''] }, batch)
  }
}

/** The call of such a script: all it needs is the key, and a place for the deadline. */
class ConstantCall implements DecideCall {
  declare readonly script: Script
  declare readonly keys: string[]
  declare readonly args: Argument[]
  declare readonly question: Question
  declare readonly check: Check

  constructor(script: Script, { question, check }: LoneCheck, { prefix }: CallParts) {
    this.script = script
    this.keys = [stateKey(prefix, check)]
    this.args = [0]
    this.question = question
    this.check = check
  }

  read(reply: unknown): Said {
    return typeof reply === 'string' ? readAdmitted(this.check, reply) : readLone(this, reply)
  }
}

function asksPlainly({ charge, maxWaitUs, take, others, upTo }: Question): boolean {
  const isWhole = others === undefined && upTo === undefined
  return take && charge === 'all-or-nothing' && maxWaitUs === 0 && isWhole
}

function isPlainCheck({ cost, shadow }: Check): boolean {
  return cost === 1 && !shadow
}

function areSame(some: readonly Policy[], others: readonly Policy[]): boolean {
  return some.length === others.length && some.every((policy, i) => policy === others[i])
}

function numbered(policy: Policy): Numbered {
  const { definition, args } = partsOf(policy)
  return { fragment: fragmentOf(definition), numbers: args }
}

/** Whether a question has a plain check for each of these policies, in their order. */
function asksFor({ checks }: Question, policies: readonly Policy[]): boolean {
  if (checks.length !== policies.length) return false
  for (let i = 0; i < checks.length; i++) {
    const check = checks[i]
    if (check === undefined || check.policy !== policies[i] || !isPlainCheck(check)) return false
  }
  return true
}

/** What plain questions for these policies have in common, as decide.lua reads it. */
function plainForm(policies: readonly Policy[]): readonly Argument[] {
  const args: Argument[] = []
  const plain = { id: '', key: '', cost: 1, shadow: false, note: undefined, onStoreFailure: 'local' } as const
  const checks = policies.map((policy) => ({ ...plain, policy }))
  const question: Question = { checks, charge: 'all-or-nothing', maxWaitUs: 0, take: true }
  pushForm(args, question, { prefix: '', nextCall: () => '', serverUs: () => 0 })
  return args
}

function admitsPlainly(policy: Policy): boolean {
  return isPlain(policy) && admitting.includes(partsOf(policy).definition.name)
}

/**
 * Whether the script needs nothing but the policy's numbers, and the strategy is one of ours, unchanged: only these call the place of
 * their first argument `at` everywhere.
 */
function isPlain(policy: Policy): boolean {
  const { definition, calendar, blocking, inFlight } = partsOf(policy)
  const { redis, wants } = definition
  const needsMore = wants !== undefined || calendar !== undefined || blocking !== undefined
  return redis?.lua === '' && redis.reservable !== true && !needsMore && !inFlight
}

/** Those numbers of a strategy that its state repeats. */
interface Numbers {
  readonly intervalUs: number
  readonly windowUs: number
}

function bucketState(text: string): object {
  const [used, atUs, parts, flow] = text.split(':').map(Number)
  return { used, atUs, parts, back: 0, flow, mixed: undefined }
}

/**
 * By strategy: reads the state that `admit` of its script has left, from its answer. What is no number there becomes NaN. `more`: how
 * many units were added to that of the text.
 */
const states: { readonly [strategy: string]: (text: string, numbers: Numbers, more: number) => object } = {
  fixedWindow: (text, _numbers, more) => ({
    endUs: Number(text.slice(0, 16)),
    count: Number(text.slice(text[16] === ':' ? 17 : 16)) + more,
    spanUs: undefined,
  }),
  gcra: (text, { intervalUs }, more) => ({
    // That of a busy key is negative.
    tatUs: Number(text.replace('-', '').slice(0, 16)) + more * intervalUs,
    backUs: 0,
    intervalUs,
    mixed: undefined,
  }),
  leakyBucket: bucketState,
  slidingWindowCounter(text, { windowUs }) {
    const [nth, , count, previous] = text.split(':').map(Number)
    return { endUs: Number(nth) * windowUs, count, previous, windowUs, held: undefined }
  },
  tokenBucket: bucketState,
}

/** An instant as TIME answers it, and the state that is left, or behind a "+" the one that was there. */
const admitted = /^(\d{1,12})\.(\d{1,6})([ +])(-?\d[\d:u]*)$/

/** Reads a reply of admit.lua, which has taken one unit: the strategy computes from the state what remains, as it does in memory. */
function readAdmitted({ policy }: Check, reply: string): Said {
  const parts = partsOf(policy)
  const { definition, numbers, units } = parts
  const said = admitted.exec(reply)
  const more = said?.[3] === '+' ? 1 : 0
  const text = said?.[4]
  const state = text === undefined ? undefined : states[definition.name]?.(text, numbers as Numbers, more) // as its own strategy reads them
  if (state === undefined) throw malformed()
  const serverUs = Number(said?.[1]) * 1e6 + Number(said?.[2])
  const left = definition.look(numbers, state, serverUs, 0)
  if (!(left.remaining >= 0 && left.resetAfterUs > 0)) throw malformed()
  const receipt = withInstant(parts, serverUs, receiptOf(definition, state, left))
  const row = new RowShape<'limited'>(units, left.remaining, left.resetAfterUs, receipt, null, 0, 0)
  return { serverUs, outcomes: [[row]] }
}
