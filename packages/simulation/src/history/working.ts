import type { Processor } from '@sluice/queue'
import type { Asking } from './asking.ts'
import type { Job, JobQueue } from './job-queue.ts'
import type { JobPlan, QueuePlan } from './plan.ts'
import type { Process } from './process.ts'
import type { RunRecord } from './record.ts'
import { silent } from './silent.ts'

/** Offers the jobs of a plan, and works on them as the members of a queue do. */
export class Working {
  readonly #asking: Asking
  readonly #jobs: readonly JobPlan[]
  readonly #queue: QueuePlan

  constructor(asking: Asking, queue: QueuePlan, jobs: readonly JobPlan[]) {
    this.#asking = asking
    this.#queue = queue
    this.#jobs = jobs
  }

  begin(process: Process, queue: JobQueue): Processor {
    const { concurrency, minIntervalMs, idleClaimMs, maxAttempts } = this.#queue
    return process.instance.code.processor<Job, number>(
      queue,
      (job, { ticket, attempt }) => this.#work(process, { job: job.nth, ticket, attempt }),
      {
        concurrency,
        ...(minIntervalMs > 0 && { minInterval: minIntervalMs }),
        idleClaim: idleClaimMs,
        maxAttempts,
        logger: silent,
      },
    )
  }

  offer(process: Process, plan: JobPlan): void {
    const { queue, machine, record } = process
    if (queue === undefined) return
    const offer = { plan, askedUs: machine.time.nowUs, answeredUs: undefined, answer: undefined }
    const noted: (typeof record.offers)[number] = offer
    record.offers.push(noted)
    void queue.offer({ nth: plan.nth }).then((answer) => {
      noted.answeredUs = machine.time.nowUs
      noted.answer = answer
    })
  }

  /** Asks the queue anything, so that the end of an unused connection is noticed. */
  ping({ queue }: Process): void {
    queue?.health().catch(() => {})
  }

  /** Records what the queue says of itself, and of all jobs that it took. */
  look(process: Process): void {
    const { queue, record } = process
    if (queue === undefined) return
    // An answer that does not come is missing in the record.
    const failed = () => {}
    void queue.health().then((health) => {
      record.queueHealth = health
    }, failed)
    for (const { answer } of record.offers) {
      if (answer?.allowed !== true) continue
      const { ticket } = answer
      const said = queue.status(ticket)
      void said.then((status) => record.statuses.set(ticket, status?.state ?? 'unknown'), failed)
    }
  }

  async #work(process: Process, { job, ticket, attempt }: Pick<RunRecord, 'job' | 'ticket' | 'attempt'>) {
    const { machine, record } = process
    const { time } = machine
    const run: RunRecord = {
      job,
      ticket,
      attempt,
      process: process.nth,
      beganUs: time.nowUs,
      endedUs: undefined,
      threw: false,
    }
    record.runs.push(run)
    const { workMs = 0, throws = 0 } = this.#jobs[job] ?? {}
    const mayGo = !this.#queue.asksLimiter || (await this.#waits(process))
    if (mayGo) await new Promise<void>((resolve) => machine.arrives(workMs * 1000, resolve))
    run.endedUs = time.nowUs
    run.threw = !mayGo || attempt <= throws
    if (run.threw) throw new Error(mayGo ? 'it does not work' : 'the limiter refuses')
    return job
  }

  async #waits(process: Process): Promise<boolean> {
    const { nowUs } = process.machine.time
    const about = { nth: -1000, atUs: nowUs, process: process.nth, key: 1, cost: 1, ms: 1500 }
    const { answer } = await this.#asking.asked(process, { ...about, operation: 'wait' })
    return answer?.allowed === true
  }
}
