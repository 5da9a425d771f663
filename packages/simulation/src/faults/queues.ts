import { inFile as inPackage, type SingleFault } from '@sluice/faults/single'

/** A file of queue. */
function inFile(file: string, ...faults: Parameters<typeof inPackage>[1][]): readonly SingleFault[] {
  return inPackage(`queue/src/${file}`, ...faults)
}

/** Single faults in members of queues, and in what offers jobs to one. */
export const queueFaults: readonly SingleFault[] = [
  ...inFile(
    'processor.ts',
    [
      'a running job is begun again',
      'if (this.#isRunning(each)) continue',
      '',
      'a process that stood still runs one job twice at once',
    ],
    [
      'what has not begun is not renewed',
      '[...this.#unstarted, ...[...this.#running]',
      '[...[...this.#running]',
      'a job that came while its member stopped is taken by another one as a second attempt',
    ],
    [
      'running jobs are hardly renewed',
      'this.#options.idleClaimMs / 3',
      'this.#options.idleClaimMs * 3',
      'a long job is taken by another member while it runs',
    ],
    [
      'one job too many runs',
      'this.#until(() => this.#running.size < concurrency)',
      'this.#until(() => this.#running.size <= concurrency)',
      'a member runs more at once than it was told to',
    ],
    [
      'the last attempt has company',
      'await this.#until(() => this.#running.size === 0)\n    if (this.#stopped',
      'if (this.#stopped',
      'a job that kills its process takes others with it',
    ],
    ['starts are not spaced', 'this.#startedUs = this.#clock.nowUs()\n', '', 'minInterval holds nobody back'],
    [
      'one attempt less',
      "attempt < this.#options.maxAttempts ? 'again' : 'failed'",
      "attempt < this.#options.maxAttempts - 1 ? 'again' : 'failed'",
      'a job fails for good before its attempts are used up',
    ],
    [
      'what comes again begins beside the take',
      'if (await this.#isLost(each)) continue\n',
      'const run = [...this.#running].find(({ ended, handed }) => ended && handed.mark === each.mark)\n      if (run !== undefined) {\n        void run.over?.then(() => this.#run(each))\n        continue\n      }\n',
      'minInterval does not hold back a job that a process takes from itself',
    ],
    [
      'what has waited is begun unasked',
      'return lost?.includes(handed) === true',
      'return false',
      'a job runs here while another process has it, after an end that was long on its way',
    ],
    [
      'a finish is sent once',
      'this.#retries.until(finish, this.#over.signal)',
      'this.#retries.until(finish, this.#over.signal, 1)',
      'work that is done in an outage is done once more',
    ],
  ),
  ...inFile(
    'stream-member.ts',
    [
      'nobody looks for what is left',
      'idleClaimMs, maxAttempts, sweeps ? 1 : 0]',
      'idleClaimMs, maxAttempts, 0]',
      'what a dead member had in hand is lost',
    ],
    [
      'no pause between attempts',
      'idleClaimMs - backoffMs, 1, 1',
      'idleClaimMs, 1, 1',
      'a job that has failed is tried again at once',
    ],
    [
      'more is read than there is room for',
      "['COUNT', room, 'BLOCK'",
      "['COUNT', room + 1, 'BLOCK'",
      'a member is handed more than it can start',
    ],
    [
      'what was not begun counts as begun',
      'running.length, ...marks]',
      'marks.length, ...marks]',
      'a member that leaves keeps what it has not begun',
    ],
  ),
  ...inFile(
    'list-member.ts',
    [
      'what came with the first is forgotten',
      'return this.#hand([first, ...rest])',
      'return this.#hand([first])',
      'jobs that were taken behind one that was waited for are lost',
    ],
    [
      'the first is forgotten where no more can be taken',
      'this.#pop(room - 1, 1).catch(() => [])',
      'this.#pop(room - 1, 1)',
      'a job is lost that came just before an outage',
    ],
    [
      'a list hands out one more',
      'this.#pop(room - 1, 1)',
      'this.#pop(room, 1)',
      'a member runs more at once than it was told to',
    ],
    [
      'a list gets nothing back',
      'if (unstarted.length === 0) return',
      'return',
      'a member that leaves takes along what it has not begun',
    ],
    [
      'what is given back is turned round',
      'entries.reverse()',
      'entries',
      'what a member gives back is run in the wrong order',
    ],
  ),
  ...inFile('server.ts', [
    'offers have no deadline on the server',
    'return timed.run(call, { askedUs: realClock.nowUs() })',
    'return timed.run(call, { askedUs: realClock.nowUs() + 60_000_000 })',
    'a job is taken whose caller was answered long ago',
  ]),
]
