import type { Inspection } from '@sluice/core'
import type { Offer, QueueHealth } from '@sluice/queue'
import type { Sent } from '../link/stream.ts'
import type { Taken } from '../server/server.ts'
import type { CallPlan, JobPlan } from './plan.ts'

/** The verdict of one policy about a call. */
export interface Said {
  readonly policy: string
  /** The name of the count on the server. */
  readonly name: string
  readonly cost: number
  readonly allowed: boolean
  readonly reason: string | null
  /** In units. */
  readonly limit: number
  readonly remaining: number
  readonly retryAfterUs: number
  readonly waitUs: number
  /** The receipt of what was taken; '' where nothing was. */
  readonly receipt: string | number
  /** The take on the server that the receipt is of. */
  take: TakeRecord | undefined
}

export interface Answer {
  readonly allowed: boolean
  readonly reason: string | null
  readonly source: string
  readonly waitMs: number
  /** The cost of the call, in units. */
  readonly cost: number
  readonly said: readonly Said[]
}

/** A call, and what came of it. */
export interface CallRecord {
  readonly plan: CallPlan
  /** Whether it is a call of the epilogue, when all is well again. */
  readonly isEpilogue: boolean
  /** Whether it counts by the policies that are `chosen` in the scenario, as it chooses them or as limits are changed. */
  readonly hasOthers: boolean
  readonly askedUs: number
  answeredUs: number | undefined
  answer: Answer | undefined
  error: unknown
  /** What `inspect` has answered, by policy. */
  inspected: { readonly [policy: string]: Inspection } | undefined
  /** When its caller gave back, or released, what the call had taken. */
  endedUs: number | undefined
  /** When its caller, which waited until then, hung up. */
  hungUpUs: number | undefined
}

/** Units that the server took, and whether its process has heard of it. */
export interface TakeRecord extends Taken {
  readonly process: number
  readonly sent: Sent
  readonly ranUs: number
  call: CallRecord | undefined
}

/** A change by hand to a count on the server, or what a call's true cost was less (`give`) or more than its charge. */
export interface ActRecord {
  readonly act:
    | 'block'
    | 'unblock'
    | 'reset'
    | 'set'
    | 'inspect'
    | 'penalize'
    | 'reward'
    | 'raise'
    | 'give'
    | 'more'
  readonly process: number
  readonly ranUs: number
  /** The name of the count. */
  readonly key: string
  /** Units, or microseconds. */
  readonly amount: number
  /** The receipt of a charge, where the call has named one. */
  readonly own: string
}

/** Units that a process gives back, or charges in addition to what a call has taken, as its call says. */
export interface GiveRecord {
  readonly process: number
  readonly atUs: number
  readonly key: string
  readonly units: number
  readonly era: string
  readonly own: string
}

/** A caller in line, as its process tells the server. */
export interface StandRecord {
  readonly process: number
  readonly key: string
  readonly own: string
}

/** How many callers wait according to their limiter, just after one of them has hung up, and how many have no answer yet. */
export interface WaitingRecord {
  readonly process: number
  readonly atUs: number
  readonly sleepers: number
  readonly open: number
}

/** How many timers a process has some time after one of its callers has hung up, with no call under way since: none of them is needed. */
export interface IdleRecord {
  readonly process: number
  readonly atUs: number
  readonly timers: number
}

/** A call to a policy of `fairShare`, as the server has decided it. */
export interface WishRecord {
  readonly key: string
  readonly note: string
  readonly units: number
  /** 0 where it was refused. */
  readonly taken: number
  readonly serverUs: number
}

/** A lease that goes on. */
export interface RenewalRecord {
  readonly process: number
  readonly atUs: number
  readonly key: string
  readonly receipt: string
}

/** A job that was offered, and what its caller heard. */
export interface OfferRecord {
  readonly plan: JobPlan
  readonly askedUs: number
  answeredUs: number | undefined
  answer: Offer | undefined
}

/** One attempt at a job. */
export interface RunRecord {
  readonly job: number
  readonly ticket: string
  readonly attempt: number
  readonly process: number
  readonly beganUs: number
  endedUs: number | undefined
  threw: boolean
}

/** What the server has done with an entry of the queue. */
export interface EntryRecord {
  /** What is taken from a list has left the queue, unless its member gives it back. */
  readonly kind: 'accepted' | 'taken' | 'back' | 'done' | 'failed'
  readonly process: number
  readonly ticket: string
  readonly attempt: number
  readonly sent: Sent
  readonly ranUs: number
}

/** An event that observers were told of. */
export interface Told {
  readonly process: number
  readonly atUs: number
  readonly kind: 'decided' | 'failed' | 'opened' | 'half-open' | 'late' | 'recovered' | 'lost' | 'warned'
  readonly about: string
}

/** The log of a history: all that invariants are recounted from. */
export class Record {
  readonly calls: CallRecord[] = []
  readonly takes: TakeRecord[] = []
  readonly gives: GiveRecord[] = []
  /** Units that calls have cost more than they were charged at first. */
  readonly more: GiveRecord[] = []
  /** Takes and acts of the key that is changed by hand, in the order in which the server has run them. */
  readonly ledger: (TakeRecord | ActRecord)[] = []
  readonly renewals: RenewalRecord[] = []
  /** Probes that the server has answered. */
  readonly probes: { readonly process: number; readonly ranUs: number }[] = []
  /** Callers in line, each once for every call that has named it. */
  readonly stands: StandRecord[] = []
  /** One record for each caller that has hung up. */
  readonly waiting: WaitingRecord[] = []
  readonly idle: IdleRecord[] = []
  /** What clients of shared keys have asked for, and acts of these keys, in the order of the server. */
  readonly wishes: (WishRecord | ActRecord)[] = []
  readonly told: Told[] = []
  readonly offers: OfferRecord[] = []
  readonly runs: RunRecord[] = []
  readonly entries: EntryRecord[] = []
  /** What the queue says of its tickets at the end, and of itself. */
  readonly statuses: Map<string, string> = new Map()
  queueHealth: QueueHealth | undefined
  /** Everything that was run on the server, in its order, as lines of text. */
  readonly lines: string[] = []
}
