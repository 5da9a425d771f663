import type { LimiterHealth } from '@sluice/core'
import { type Code, Loader } from '../inside/load.ts'
import type { Sent } from '../link/stream.ts'
import { noTroubles, type Troubles } from '../link/troubles.ts'
import { Random } from '../random.ts'
import type { Words } from '../server/calls.ts'
import { readAdjust, readLine } from '../server/corrections.ts'
import { KnownPolicies } from '../server/policies.ts'
import { RunningServer } from '../server/running.ts'
import { type Kind, type KnownScript, ScriptReader } from '../server/scripts.ts'
import { Slots } from '../server/slots.ts'
import { Machine } from '../world/machine.ts'
import { VirtualTime } from '../world/time.ts'
import { actsOf } from './acts.ts'
import { Asking } from './asking.ts'
import { entriesOf } from './entries.ts'
import { isOfManaged } from './managed.ts'
import { chosenIn, type Plan } from './plan.ts'
import { policyOf } from './policies.ts'
import { Process } from './process.ts'
import { Record } from './record.ts'
import { OpenTakes, takesOf } from './takes.ts'
import { Working } from './working.ts'

/** What all histories of a player have in common. */
export interface Stage {
  /** Loads the code that the processes run. */
  readonly loader: Loader
  /** The code that the server counts with, always as it is shipped. */
  readonly serverCode: Code
  readonly scripts: ScriptReader
  /** Whether all that the server runs is logged. */
  readonly isLogged: boolean
  /** Whether each process has an instance of the code for itself. */
  readonly alwaysFresh: boolean
}

export interface StageOptions {
  /** The code of the server, where processes have another. */
  readonly serverText?: string
  readonly isLogged?: boolean
  readonly alwaysFresh?: boolean
}

export function makeStage(
  text: string,
  { serverText = text, isLogged = false, alwaysFresh = false }: StageOptions = {},
): Stage {
  const nowhere = new Machine('server', new VirtualTime(), new Random(0))
  nowhere.time.enter(nowhere)
  const { code } = new Loader(serverText).fresh(nowhere)
  return { loader: new Loader(text), serverCode: code, scripts: new ScriptReader(), isLogged, alwaysFresh }
}

/** The health that a process reports, some time after all was mended, or before it closes. */
export interface HealthSample {
  readonly process: number
  readonly when: 'recovered' | 'closing'
  readonly health: LimiterHealth
}

/** All that one history consists of. */
export class World {
  readonly plan: Plan
  readonly time: VirtualTime = new VirtualTime()
  readonly record: Record = new Record()
  readonly policies: KnownPolicies
  readonly server: RunningServer
  readonly processes: Process[] = []
  readonly troubles: Troubles[] = []
  readonly asking: Asking
  readonly working: Working | undefined
  /** The health that processes have reported. */
  readonly health: HealthSample[] = []
  /** Processes that close before the end. */
  readonly leaving: Set<number> = new Set()
  /** Processes that have closed all that they had. */
  readonly closed: Set<number> = new Set()
  /** When they began to close. */
  closingUs: number = Number.POSITIVE_INFINITY
  /** Rejections that nothing has handled, and other errors that escaped. */
  readonly loose: string[] = []
  readonly #stage: Stage
  readonly #open = new OpenTakes()
  readonly #random: Random

  constructor(plan: Plan, stage: Stage) {
    this.plan = plan
    this.#stage = stage
    this.#random = new Random(plan.seed).apart(1)
    const { scenario } = plan
    this.policies = new KnownPolicies(stage.serverCode)
    for (const policy of scenario.policies) {
      const aheadUs = scenario.aheadMs > 0 ? scenario.aheadMs * 1000 : undefined
      const own = policyOf(stage.serverCode, policy, scenario.scale)
      this.policies.add(own, aheadUs)
      const chosen = chosenIn(scenario, policy)
      if (chosen !== undefined)
        this.policies.addChosen(policyOf(stage.serverCode, chosen, scenario.scale), own)
    }
    const slots = scenario.cluster && new Slots(scenario.cluster.aheadMs, () => this.time.nowUs)
    this.server = new RunningServer(this.time, { code: stage.serverCode, policies: this.policies, slots })
    if (scenario.replicated) this.server.replicate()
    this.asking = new Asking(scenario, this.#open)
    const { queue } = scenario
    this.working = queue && new Working(this.asking, queue, plan.jobs ?? [])
  }

  /** Begins a process. */
  begin(): Process {
    const nth = this.processes.length
    const { scenario } = this.plan
    const machine = new Machine(`process ${nth}`, this.time, this.#random.apart(100 + nth))
    const troubles = noTroubles()
    const link = {
      machine,
      troubles,
      server: this.server,
      scripts: this.#stage.scripts,
      way: { usualUs: scenario.wayUs, jitterUs: scenario.jitterUs, apart: scenario.apart },
      random: this.#random.apart(200 + nth),
      tried: ({ kind }: KnownScript, words: Words) => this.#tried(nth, kind, words),
      ran: (sent: Sent) => this.#ran(nth, sent),
    }
    this.time.enter(machine)
    const { loader, alwaysFresh } = this.#stage
    const instance = alwaysFresh ? loader.fresh(machine) : loader.shared(machine)
    machine.host = instance.host
    machine.enter()
    // A process that shares its instance knows no limiters of another one.
    instance.code.monotonicClock.unmoved.clear()
    const process = new Process(nth, { instance, scenario, record: this.record, link })
    this.processes.push(process)
    const { working } = this
    if (working !== undefined) process.join((queue) => working.begin(process, queue))
    this.troubles.push(troubles)
    this.time.settle()
    return process
  }

  /** Processes that are asked: they have not died, and have not begun to close. */
  get living(): readonly Process[] {
    return this.processes.filter(({ nth, machine }) => !machine.dead && !this.leaving.has(nth))
  }

  sampleHealth(when: HealthSample['when']): void {
    for (const { nth, machine, limiter } of this.living) {
      this.time.enter(machine)
      this.health.push({ process: nth, when, health: limiter.health() })
    }
  }

  #tried(process: number, kind: Kind, words: Words): void {
    const atUs = this.time.nowUs
    // A caller that leaves a line gives back the place that it may just have got.
    if (kind === 'line') {
      for (const { check, id, leaves } of readLine(words, this.policies).flat()) {
        const { key, cost: units } = check
        if (leaves) this.record.gives.push({ process, atUs, key, units, era: '', own: id })
        else this.record.stands.push({ process, key, own: id })
      }
    }
    if (kind !== 'adjust') return
    for (const { change, era, own } of readAdjust(words, this.policies)) {
      const about = { process, atUs, key: change.check.key, units: Math.abs(change.byUnits), era, own }
      if (change.byUnits > 0 && own !== '') this.record.more.push(about)
      if (change.byUnits < 0 && change.reward !== true) this.record.gives.push(about)
    }
  }

  #ran(process: number, sent: Sent): void {
    const { command } = sent
    const atUs = this.time.nowUs
    for (const take of takesOf(process, sent, atUs)) {
      this.record.takes.push(take)
      if (isOfManaged(take.key)) this.record.ledger.push(take)
      this.#open.add(take)
    }
    this.record.wishes.push(...(sent.ran?.wished ?? []))
    for (const act of actsOf(process, { sent, ranUs: atUs }, this.policies)) {
      if (isOfManaged(act.key)) this.record.ledger.push(act)
      if (act.key.endsWith(':fs')) this.record.wishes.push(act)
    }
    for (const { check, receipt } of sent.ran?.renewed ?? [])
      this.record.renewals.push({ process, atUs, key: check.key, receipt: String(receipt) })
    this.record.entries.push(...entriesOf(process, sent, atUs))
    if (command.name !== 'time' && command.script.kind === 'probe')
      this.record.probes.push({ process, ranUs: atUs })
    if (!this.#stage.isLogged) return
    const what =
      command.name === 'time'
        ? 'time'
        : `${command.script.kind} ${command.words.keys.join(' ')} ${command.words.args.join(' ')}`
    this.record.lines.push(`${atUs} ${process} ${what}`)
  }
}
