import { inFile } from '../fault.ts'
import { type GuardedFault, noticedBy } from '../guarded.ts'

const folder = 'packages/queue/src'
const test = 'packages/queue/test'
const inMemory = [`${test}/memory/suite.test.ts`, `${test}/memory/memory.test.ts`]

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: these are pieces of code
/** Queues in memory and in Redis, their processors and their answers. */
export const queueFaults: readonly GuardedFault[] = [
  ...noticedBy(
    inMemory,
    inFile(
      `${folder}/memory-entries.ts`,
      [
        'a retry waits behind what is new',
        'next !== undefined && next.dueUs <= nowUs ? this.#again.shift() : this.#fresh.shift()',
        'this.#fresh.shift() ?? (next !== undefined && next.dueUs <= nowUs ? this.#again.shift() : undefined)',
        'a job that failed once waits for all that came after it',
      ],
      [
        'a position forgets what runs',
        'number - begun + (this.length - this.#fresh.length)',
        'number - begun',
        'callers are told a shorter line than there is',
      ],
      [
        'retries are in the order in which they failed',
        'this.#again.findLastIndex((other) => other.dueUs <= dueUs)',
        'this.#again.length - 1',
        'a retry that is due waits for one that is not',
      ],
    ),
    inFile(
      `${folder}/memory-member.ts`,
      [
        'a job has one attempt more',
        'const spent = entry.attempt >= this.#maxAttempts',
        'const spent = entry.attempt > this.#maxAttempts',
        'a job that kills its process is handed out once too often',
      ],
      [
        'a pause has no bound in memory',
        'return Math.min(this.#idleUs, 1_000_000 * 2 ** (attempt - 1))',
        'return 1_000_000 * 2 ** (attempt - 1)',
        'a job that fails often waits for hours',
      ],
      [
        'what never ran has lost an attempt',
        'if (never.has(entry.ticket)) entry.attempt--\n',
        '',
        'each stop of a processor costs jobs an attempt',
      ],
      [
        'an old attempt ends the new one',
        'entry?.holder === this && entry.attempt === attempt',
        'entry?.holder === this',
        'work that comes back late answers for the attempt that runs',
      ],
    ),
    inFile(`${folder}/memory-results.ts`, [
      'a result is kept for an instant more',
      'if (goneUs > nowUs && this.#kept.size <= this.#most) return',
      'if (goneUs >= nowUs && this.#kept.size <= this.#most) return',
      'a ticket is known when keepResults is over',
    ]),
    inFile(`${folder}/memory-state.ts`, [
      'the newest dead letter is dropped',
      'if (this.dead.length > this.#bounds.deadLetters) this.dead.shift()',
      'if (this.dead.length > this.#bounds.deadLetters) this.dead.pop()',
      'nobody sees what fails now',
    ]),
  ),
  ...noticedBy(
    [`${test}/drain.test.ts`, `${test}/estimates.test.ts`],
    inFile(
      `${folder}/drain.ts`,
      [
        'idle time is a gap',
        'const counted = measure.busy ? countGap(measure, nowUs - measure.lastUs) : measure',
        'const counted = countGap(measure, nowUs - measure.lastUs)',
        'after a quiet night callers are told to wait for hours',
      ],
      [
        'who is refused comes back with all others',
        'Math.max(measure.returnUs, nowUs) + gap',
        'nowUs + gap',
        'all callers of a full queue return at one instant',
      ],
      [
        'one gap too few is kept',
        'if (gaps < gapsKept) return',
        'if (gaps < gapsKept - 1) return',
        'memory and script measure different spans',
      ],
    ),
  ),
  ...noticedBy(
    [`${test}/processor.test.ts`, ...inMemory, `${test}/malformed.test.ts`],
    inFile(
      `${folder}/processor.ts`,
      [
        'the last attempt is tried again',
        "const state = run.handed.attempt < this.#options.maxAttempts ? 'again' : 'failed'",
        "const state = attempt <= this.#options.maxAttempts ? 'again' : 'failed'",
        'a job that has failed for good is never said to have failed',
      ],
      [
        'leases are renewed when they are over',
        'this.#retries.sleep(this.#options.idleClaimMs / 3, signal)',
        'this.#retries.sleep(this.#options.idleClaimMs, signal)',
        'long work is handed to another processor while it runs',
      ],
      [
        'lost work is not told so',
        'if (lost?.includes(handed)) controller.abort(codedError(...reasons.taken))',
        'void lost',
        'two processors do one job to its end',
      ],
      [
        'what was done is forgotten where its entry was handed out again',
        'if (late?.attempt === handed.attempt) {',
        'if (late?.attempt === 0) {',
        'a processor that stood still does a job twice, one after the other',
      ],
      [
        'a next attempt is begun beside the end of the last one',
        'for (const { over } of ending) await over',
        '',
        'a processor that stood still does a job twice',
      ],
    ),
    inFile(
      `${folder}/texts.ts`,
      [
        'an error is cut within a letter',
        '{ stream: true })',
        '{ stream: false })',
        'the text of an error ends in a broken character',
      ],
      [
        'a result of any size is kept',
        'return isTooLarge(text, maxBytes) ? `the result has more than ${maxBytes} bytes of JSON` : undefined',
        'return undefined',
        'results fill the server’s memory',
      ],
    ),
  ),
  ...noticedBy(
    [`${test}/stream/status.redis.test.ts`, 'packages/koa/test/koa3.test.ts'],
    inFile(
      `${folder}/http.ts`,
      [
        'clients see errors of the work',
        "return { state: 'failed', ...failure }",
        "return { state: 'failed', ...failure, error }",
        'a client reads names of servers and users',
      ],
      [
        'clients ask every ten seconds',
        'String(Math.min(maxPollSeconds, retryAfterSeconds(waitMs / 2)))',
        'String(maxPollSeconds)',
        'a job that ends at once is seen ten seconds later',
      ],
      [
        'a full queue is an outage',
        "return comeBack(429, { reason, fact: 'The queue is full', retryAfterMs })",
        "return comeBack(503, { reason, fact: 'The queue is full', retryAfterMs })",
        'monitors count full queues as failures',
      ],
    ),
  ),
  ...noticedBy(
    [
      `${test}/stream/suite.redis.test.ts`,
      `${test}/stream/offer.redis.test.ts`,
      `${test}/stream/claim.redis.test.ts`,
      `${test}/stream/member.redis.test.ts`,
      `${test}/stream/status.redis.test.ts`,
      `${test}/stream/measure.redis.test.ts`,
    ],
    inFile('lua/queue/offer.lua', [
      'one job more than the limit',
      'if length >= limit then',
      'if length > limit then',
      'a queue of ten has eleven',
    ]),
    inFile('lua/queue/take.lua', [
      'a last attempt is one of many',
      'elseif attempt == most then',
      'elseif attempt == most + 1 then',
      'a job that kills its process takes others with it',
    ]),
    inFile(
      'lua/queue/finish.lua',
      [
        'a lost attempt writes its result',
        'if holder ~= me or count ~= attempt + 0 then',
        'if holder ~= me then',
        'work that comes back late answers for the attempt that runs, in Redis',
      ],
      [
        'tickets of what has ended stay',
        "redis.call('HDEL', tickets, ticket)\n",
        '',
        'the tickets of all jobs that ever were stay in Redis',
      ],
    ),
    inFile('lua/queue/leave.lua', [
      'what never ran has lost an attempt, in Redis',
      'local used = unused[id] and count - 1 or count',
      'local used = count',
      'each stop of a processor costs jobs an attempt',
    ]),
    inFile('lua/queue/status.lua', [
      'a retry has no place',
      "if holder == 'retry' then\n    return waiting(1)\n  elseif holder then",
      'if holder then',
      'a job that waits for its next attempt is said to run',
    ]),
    inFile('lua/queue/include/finished.lua', [
      'gaps of an idle queue are measured',
      "if kept[4] == '1' then",
      'if kept[3] then',
      'after a quiet night callers are told to wait for hours',
    ]),
  ),
  ...noticedBy(
    [`${test}/list/suite.redis.test.ts`, `${test}/list/list.redis.test.ts`],
    inFile(`${folder}/list-member.ts`, [
      'jobs go back in the other order',
      'entries.reverse()',
      '[...entries]',
      'after a stop the newest job is served first',
    ]),
    inFile('lua/queue/listPop.lua', [
      'jobs that were taken at once are one',
      'for i = before + count, 1, -1 do',
      'for i = math.min(1, before + count), 1, -1 do',
      'callers are told too long a wait',
    ]),
  ),
]
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: these are pieces of code
