import { inFile } from '../fault.ts'
import { type GuardedFault, noticedBy } from '../guarded.ts'

const core = 'packages/core/src'
const operations = 'packages/operations/src'
const elsewhere = ['packages/core/test/resilience/acts-elsewhere.test.ts']
const log = ['packages/operations/test/operations.redis.test.ts']

/** What somebody does to a key by hand, and how the other processes hear of it. */
export const actFaults: readonly GuardedFault[] = [
  ...noticedBy(
    ['packages/core/test/resilience/refusals.test.ts'],
    inFile(
      `${core}/resilience/refusals.ts`,
      [
        'what is not known of a key is taken for unchanged',
        'this.#unknownUntil = first.moment\n',
        '',
        'a refusal from before a refund holds where a thousand other keys were changed since',
      ],
      [
        'all that was changed stays',
        'this.#kept.drop(first)\n  }\n\n  isChanged',
        '}\n\n  isChanged',
        'memory grows with each refund',
      ],
      [
        'a key that is unblocked counts as unchanged',
        'this.#changed.note(check)\n',
        '',
        'a block from before its end, and heard of after it, holds through an outage',
      ],
    ),
  ),
  ...noticedBy(
    elsewhere,
    inFile(
      `${core}/resilience/mirror.ts`,
      [
        'a block of elsewhere lasts a thousandth of its time',
        'us: forMs * 1000 }',
        'us: forMs }',
        'who was blocked for an hour by another process passes in an outage after four seconds',
      ],
      [
        'charges from before a reset are counted after it',
        "if (op === 'reset' || op === 'set') this.#charges.forget(check)\n    else this",
        "if (op !== 'reset' && op !== 'set') this",
        'a key that was reset is used up in an outage',
      ],
      [
        'a refusal outlasts the count that was set',
        "else if (op === 'set') this.#refusals.forgive(check)\n",
        '',
        'a key whose count was lowered stays refused in an outage',
      ],
      [
        'a refusal outlasts the end of a block',
        "if (op === 'unblock' || op === 'reset') this.#refusals.free(check)",
        "if (op === 'reset') this.#refusals.free(check)",
        'who was unblocked stays blocked in an outage',
      ],
      [
        'a refusal outlasts a reset',
        "if (op === 'unblock' || op === 'reset') this.#refusals.free(check)",
        "if (op === 'unblock') this.#refusals.free(check)",
        'a key that was reset stays refused in an outage',
      ],
    ),
    inFile(`${core}/limiter/acting.ts`, [
      'an act concerns all policies',
      'if (policy === null || (policies.length > 0 && !policies.includes(name))) return []',
      'if (policy === null) return []',
      'a reset of one policy gives the units of all others back in an outage',
    ]),
  ),
  ...noticedBy(
    ['packages/core/test/resilience/mirror.test.ts'],
    inFile(
      `${core}/resilience/whole-limits.ts`,
      [
        'the whole limit hears of no reset',
        "if (op === 'set' || op === 'reset') this.of",
        "if (op === 'set') this.of",
        'after an outage a process refuses a key that was reset',
      ],
      [
        'the whole limit hears of no count that is set',
        "if (op === 'set' || op === 'reset') this.of",
        "if (op === 'reset') this.of",
        'after an outage a process refuses a key whose count was lowered',
      ],
    ),
  ),
  ...noticedBy(
    ['packages/core/test/limiter/around.test.ts'],
    inFile(`${core}/limiter/acting.ts`, [
      'an act that names no policy concerns none',
      'if (policy === null || (policies.length > 0 && !policies.includes(name))) return []',
      'if (policy === null || !policies.includes(name)) return []',
      'what the command line does to all policies of a key changes nothing in a process',
    ]),
  ),
  ...noticedBy(
    ['packages/core/test/limiter/observers.test.ts'],
    inFile(`${core}/limiter/acting.ts`, [
      'an act names the first of its policies',
      'else act.policies.push(lane.name)',
      '',
      'other processes hear that one policy was reset where all were',
    ]),
  ),
  ...noticedBy(
    ['packages/core/test/ahead/limiter-acts.test.ts'],
    inFile(
      `${core}/ahead/store.ts`,
      [
        'units ahead keep acts of elsewhere from the store inside',
        'this.#inner.changed(checks, act)\n',
        '',
        'who was blocked by another process passes in an outage where units are taken ahead',
      ],
      [
        'units in hand outlast an act of elsewhere',
        'void this.halt(checks).then((resume) => resume())',
        '',
        'who was blocked by another process uses up what is in hand first',
      ],
      [
        'an act of elsewhere never ends',
        'void this.halt(checks).then((resume) => resume())',
        'void this.halt(checks)',
        'of a key that was changed once no units are ever taken ahead again',
      ],
    ),
  ),
  ...noticedBy(
    log,
    inFile(`${core}/resilience/guarded-store.ts`, [
      'refusals are repeated after an act of elsewhere',
      'this.#inner.changed?.(checks, act)',
      '',
      'a key that another process has reset is refused here until refusalCache is over',
    ]),
    inFile(
      `${operations}/operations.ts`,
      [
        'the same acts are read again and again',
        'this.#after = id\n',
        '',
        'a block that was ended long ago comes back each second in an outage',
      ],
      [
        'the log has no beginning',
        "if (this.#after === '') this.#after = newest\n",
        '',
        'no process hears of what another one does',
      ],
      [
        'an act that was heard is reported again',
        'new Set<Observer>([this])',
        'new Set<Observer>()',
        'each act is in the log without an end, once for each process in turn',
      ],
    ),
    inFile(
      `${operations}/act-text.ts`,
      [
        'a block that is heard has no length',
        "...(typeof forMs === 'number' && { forMs }),\n",
        '',
        'a block by another process holds for no time in an outage',
      ],
      [
        'a count that is heard is nothing',
        "...(typeof units === 'number' && { units }),\n",
        '',
        'a key whose count was set to its limit passes in an outage',
      ],
      [
        'the parts of a key are one text',
        'Array.isArray(key) ? key.map(text) : text(key)',
        'text(key)',
        'another process changes a key that nobody has',
      ],
      [
        'a number in a key is not written as text',
        'const text = (member: unknown) => String(member).slice(0, 1000)',
        'const text = (member: unknown) => member',
        'acts on keys that are numbers are heard by nobody',
      ],
    ),
  ),
  ...noticedBy(
    ['packages/operations/test/act-text.test.ts'],
    inFile(`${operations}/act-text.ts`, [
      'an act concerns twenty policies',
      'policies.length > mostPolicies ? [] : policies',
      'policies.slice(0, mostPolicies)',
      'of a client that was unblocked the last policies stay blocked in an outage',
    ]),
  ),
  ...noticedBy(
    ['packages/operations/test/lists.redis.test.ts'],
    inFile(
      `${operations}/operations.ts`,
      [
        'acts on lists reach no observer',
        "if (act.limiter === '' || limiter.name === act.limiter)",
        'if (limiter.name === act.limiter)',
        'a log does not show who was denied by another process',
      ],
      [
        'acts go to all limiters',
        "if (act.limiter === '' || limiter.name === act.limiter)",
        'if (act !== undefined)',
        'a block by one limiter is shown and counted as one by all',
      ],
    ),
  ),
  ...noticedBy(
    ['packages/operations/test/outage/away.redis.test.ts'],
    inFile(`${operations}/operations.ts`, [
      'acts wait without a bound',
      'if (this.#waiting.length < mostWaiting) ',
      '',
      'in a long outage acts fill the memory',
    ]),
  ),
]
