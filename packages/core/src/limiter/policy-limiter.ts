import type { Penalty } from '../decision.ts'
import { optionError } from '../errors.ts'
import { memoryStore } from '../memory/store.ts'
import { isRecord } from '../options.ts'
import type { Ability, Policies, Policy } from '../policy.ts'
import { partsOf } from '../strategies/definition.ts'
import { durationUs } from '../units.ts'
import type { NamedCheck } from './decided.ts'
import { type Lane, lanesOf } from './lane.ts'
import { forPolicy } from './per-policy.ts'
import { type AnyOptions, type AnySubject, PolicyQuestions } from './policy-questions.ts'
import { QuestionLimiter } from './question-limiter.ts'
import { type Settled, unknownPolicy } from './settings.ts'

/** The limiter at run time, whatever its policies' names. */
export class PolicyLimiter extends QuestionLimiter<AnySubject, AnyOptions> {
  readonly policies: Policies
  readonly lanes: readonly Lane[]

  /** `inherited`: another limiter's lanes, decided in one question with its own. */
  constructor(settings: Settled, inherited: readonly Lane[] = []) {
    const own = lanesOf(settings)
    const lanes = [...inherited, ...own]
    const policies = policiesOf(lanes)
    const store = settings.store ?? memoryStore()
    for (const [name, policy] of Object.entries(policies)) store.accept?.(policy, `policies.${name}`)
    const accept = (policy: Policy, path: string) => store.accept?.(policy, path)
    const questions = new PolicyQuestions(lanes, { charge: settings.charge, accept })
    super(settings, { store, value: valueOfLanes(own), questions })
    this.lanes = lanes
    this.policies = policies
  }

  async penalize(subject: AnySubject, penalty: Penalty<string>): Promise<void> {
    this.#mustBeAble('penalize')
    const checks = this.checksOf(subject)
    this.#checkPenalty(penalty)
    if (typeof penalty === 'object' && 'wait' in penalty)
      return this.#raise(checks, durationUs(penalty.wait, 'wait'))
    const changes = checks.map((check) => ({
      check,
      receipt: null,
      byUnits: units(forPolicy(penalty, check.name, 0)),
    }))
    await this.correct(changes.filter(({ byUnits }) => byUnits > 0))
  }

  /** By the strategy's own means where it can wait that long, else by a block to the later end. */
  async #raise(checks: readonly NamedCheck[], waitUs: number): Promise<void> {
    for (const check of checks) {
      const { definition, numbers } = partsOf(check.policy)
      if (waitUs <= (definition.raisableUs?.(numbers) ?? 0)) {
        await this.correct([{ check, receipt: null, byUnits: 0, atLeastUs: waitUs }])
      } else {
        await this.#pause(check, waitUs)
      }
    }
  }

  async #pause(check: NamedCheck, us: number): Promise<void> {
    try {
      await this.store.manage({ op: 'block', check, us, later: true })
    } catch {
      // The store has counted and told its failure, and this process's fallback refuses the key meanwhile.
    }
  }

  #checkPenalty(penalty: unknown): void {
    if (!isRecord(penalty)) {
      units(penalty)
      return
    }
    const names = this.lanes.map(({ name }) => name)
    for (const name of Object.keys(penalty)) {
      if (name !== 'wait' && !names.includes(name)) throw unknownPolicy('penalty', name, names)
    }
  }

  #mustBeAble(ability: Ability): void {
    for (const { name, policy } of this.lanes) {
      if (policy === null || partsOf(policy).definition.can.includes(ability)) continue
      throw new TypeError(
        `limiter.${ability}: the strategy of policy "${name}", ${policy.strategy}, cannot ${ability}`,
      )
    }
  }
}

function policiesOf(lanes: readonly Lane[]): Policies {
  const policies: { [name: string]: Policy } = {}
  for (const { name, policy } of lanes) if (policy !== null) policies[name] = policy
  return Object.freeze(policies)
}

function units(cost: unknown): number {
  if (typeof cost === 'number' && Number.isSafeInteger(cost) && cost >= 0) return cost
  throw optionError('penalty', 'a whole number of at least 0, or { wait: "10s" }', cost)
}

function valueOfLanes(lanes: readonly Lane[]): string {
  const values = lanes.map(
    ({ name, policy, tag }) =>
      `${name} ${tag} ${policy === null ? 'chosen for each call' : partsOf(policy).value}`,
  )
  return values.sort().join('\n')
}
