import { inFile } from '../fault.ts'
import { type GuardedFault, noticedBy } from '../guarded.ts'

const state = [
  'packages/state/test/turns.test.ts',
  'packages/state/test/transactions.test.ts',
  'packages/state/test/state-store.test.ts',
  'packages/state/test/json.test.ts',
  'packages/state/test/hot-key.test.ts',
  'packages/state/test/same-rows.test.ts',
]
const postgres = [
  'packages/postgres/test/contended.test.ts',
  'packages/postgres/test/table.postgres.test.ts',
  'packages/postgres/test/outages.postgres.test.ts',
  'packages/postgres/test/hot-key.postgres.test.ts',
  'packages/postgres/test/store.postgres.test.ts',
]

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: these are pieces of code
/** Stores on one transaction, and PostgreSQL. */
export const storeFaults: readonly GuardedFault[] = [
  ...noticedBy(
    ['packages/core/test/resilience/breaker.test.ts'],
    inFile('packages/core/src/resilience/guarded-store.ts', [
      'a closed store is well',
      "status: open || this.#closed ? 'down'",
      "status: open ? 'down'",
      'health says ok of a store that is not asked any more',
    ]),
  ),
  ...noticedBy(
    ['packages/core/test/resilience/charges.test.ts'],
    inFile('packages/core/src/resilience/mirror.ts', [
      'what an idle key had is forgotten',
      'const isNoted = (id: string, key: string) => this.#charges.has(id, key)',
      'const isNoted = () => false',
      'of a bucket that an outage finds, what it held before its latest charges is gone too soon',
    ]),
  ),
  ...noticedBy(
    ['packages/core/test/resilience/mirror.test.ts'],
    inFile(
      'packages/core/src/resilience/mirror.ts',
      [
        'a share is kept after an outage',
        'return (whole ?? this.#memory).answer(question)[0]',
        'return this.#ask(question, this.#clock.nowUs())[0]',
        'a process holds every key to its share until a window is over',
      ],
      [
        'what was taken by a share is not counted by the limit',
        'this.#wholeLimits.taken(question, rows, nowUs)\n',
        '',
        'after an outage a process admits its share beside the whole limit',
      ],
      [
        'who waits is forgotten with the outage',
        'if (waitUs > 0) this.noticeKeys([check], waitUs)\n',
        '',
        'others pass with those who reserved in an outage and wait for longer than it matters',
      ],
      [
        'a blocked key is charged by the whole limit',
        'if (!this.#isBlocked(check)) this.#wholeLimits',
        'this.#wholeLimits',
        'a key is refused after its block for what the store has not charged',
      ],
    ),
    inFile(
      'packages/core/src/resilience/whole-limits.ts',
      [
        'a refused question is counted',
        'if (!take || isOthers) return',
        'if (!take) return',
        'what another policy has refused uses up the limit',
      ],
      [
        'a wait by the share is not known to the limit',
        'if (row.waitUs > 0)',
        'if (row.waitUs < 0)',
        'others pass before those who wait, whom the limit has forgotten by then',
      ],
    ),
  ),
  ...noticedBy(
    ['packages/core/test/resilience/empty-buckets.test.ts'],
    inFile(
      'packages/core/src/resilience/mirror.ts',
      [
        'an unknown key is taken for an empty bucket after an outage',
        'if (whole !== undefined && !isKnown(whole.keys, check, this.#clock.nowUs())) return undefined',
        '',
        'after one decision without Redis a process refuses keys that Redis would admit',
      ],
      [
        'a block is read as a count',
        'if (isBlock(row.reason)) return\n    noMoreThan',
        'noMoreThan',
        'a key whose block is lifted stays refused in an outage',
      ],
    ),
    inFile(
      'packages/core/src/resilience/whole-limits.ts',
      [
        'what was admitted long ago makes a key known',
        ' && !table.isIdle(slot, nowUs)',
        '',
        'a second outage finds a bucket empty that has filled since the first',
      ],
      [
        'a key that was asked for begins empty in an outage',
        'if (unused !== undefined) keys.save(place, unused)',
        '',
        'a process refuses keys of which Redis has units left',
      ],
      [
        'what is known of a key is written over',
        'if (isKnown(keys, check, atUs)) return\n',
        '',
        'in an outage each look at a key fills its bucket',
      ],
      [
        'an outage takes one unit of each key',
        'partsOf(check.policy).units - 1)',
        'partsOf(check.policy).units)',
        'the last unit that Redis had left is refused in an outage, or given twice',
      ],
      [
        'keys that share a count are new ones',
        'return table.shares(check.key) || (slot',
        'return (slot',
        'after an outage sprayed keys pass beside what they have used',
      ],
    ),
  ),
  ...noticedBy(
    state,
    inFile(
      'packages/state/src/states.ts',
      [
        'a life is rounded down, in a state store',
        'const ttlMs = Math.ceil((endUs - nowUs) / 1000)',
        'const ttlMs = Math.floor((endUs - nowUs) / 1000)',
        'a row is gone up to a millisecond before its state has ended',
      ],
      [
        'what is given back shortens a life, in a state store',
        'after === 0 ? 0 : entry.lifeEndUs - Math.max(0, before - after)',
        'after',
        'a bucket that starts empty is forgotten by the numbers of an old receipt',
      ],
      [
        'a block ends with its count',
        'Math.max(lifeEndUs, block?.untilUs ?? 0, count?.untilUs ?? 0)',
        'Math.max(lifeEndUs, count?.untilUs ?? 0)',
        'a key that was blocked passes once its count is over',
      ],
      [
        'what is as before is written again',
        'if (written !== text) yield { key, state: written, ttlMs }',
        'yield { key, state: written, ttlMs }',
        'a refusal writes a row, and locks it',
      ],
      [
        'a reset leaves receipts valid',
        'entry.era = `${this.#newEra}${this.#anew++}`\n',
        '',
        'what was charged before a reset is given back to the new count',
      ],
    ),
    inFile(
      'packages/state/src/stored.ts',
      [
        'a state at its end lives',
        'const lives = lifeEndUs > nowUs',
        'const lives = lifeEndUs >= nowUs',
        'a bucket that starts empty is full at the instant at which it is forgotten',
      ],
      [
        'a ban is a block, once it is stored',
        'banned: banned === true }\n        : undefined',
        'banned: false }\n        : undefined',
        'a banned client is told to come back',
      ],
    ),
    inFile('packages/state/src/json.ts', [
      'nothing becomes null',
      "if (value === undefined) return { [mark]: 'undefined' }",
      'if (value === undefined) return null',
      'a state of one’s own strategy is another one once it is stored',
    ]),
    inFile(
      'packages/state/src/transactions.ts',
      [
        'keys are locked in the order of each call',
        'const names = [...checks.keys()].sort()',
        'const names = [...checks.keys()]',
        'two processes wait for each other',
      ],
      [
        'who has gone is charged',
        'return changeAll(together.filter(isWaitedFor), { checks, names, texts, nowUs, mark })',
        'return changeAll(together, { checks, names, texts, nowUs, mark })',
        'a caller that was answered without the store is charged in it',
      ],
      [
        'one failure fails all',
        'if (wrong === undefined) return { result: outcomes, writes: states.writes }\n    failed.set(...wrong)',
        'if (wrong === undefined) return { result: outcomes, writes: states.writes }\n    for (const call of calls) failed.set(call, wrong[1])',
        'a key that nobody can read fails all requests beside it',
      ],
      [
        'the first deadline is that of all',
        'latestMs = Math.max(latestMs, caller.expiresAt)',
        'latestMs = Math.min(latestMs || caller.expiresAt, caller.expiresAt)',
        'requests fail before their deadlines as others came before them',
      ],
      [
        'a refund has the deadline of checks',
        'if (caller?.expiresAt === undefined) return undefined',
        'if (caller?.expiresAt === undefined) continue',
        'what is given back beside a check that is too late stays charged',
      ],
    ),
    inFile(
      'packages/state/src/turns.ts',
      [
        'keys of those who have gone are kept',
        'line.waiting = rest\n    this.#forget(gone, line)',
        'line.waiting = rest',
        'a process grows by every key whose callers gave up',
      ],
      [
        'one set of keys goes twice at once',
        'else if (next.length < mostTogether && !line.names.has(call.name)) next.push(call)',
        'else if (next.length < mostTogether) next.push(call)',
        'a hot key fails as its own transactions come into each other’s way',
      ],
      [
        'a transaction that never ends holds up its keys for ever',
        'if (this.#givesUp(line)) this.#goOn(line)',
        '',
        'one lost answer of a database leaves a key to each process alone until it restarts',
      ],
    ),
  ),
  ...noticedBy(
    postgres,
    inFile(
      'packages/postgres/src/table.ts',
      [
        'a life of seconds is one of milliseconds',
        'make_interval(secs => fresh.life_ms / 1000.0)',
        'make_interval(secs => fresh.life_ms / 1000)',
        'lives are cut to whole seconds, and short ones are none',
      ],
      [
        'what is too late is written',
        "IF extract(epoch FROM clock_timestamp()) * 1000000 > until_us THEN\n    RETURN '';\n  END IF;\n",
        '',
        'a caller that was answered without the store is charged in it, in PostgreSQL',
      ],
      [
        'a key that was changed meanwhile is written over',
        'WHERE stored.xmin::text IS DISTINCT FROM seen.version LIMIT 1',
        'WHERE false LIMIT 1',
        'of two charges at one time one is lost',
      ],
      [
        'states that have ended stay',
        'DELETE FROM ${table} AS stored USING unnest(new_keys, new_states) AS fresh(key, state)\n    WHERE stored.key = fresh.key AND fresh.state IS NULL;\n',
        '',
        'a key that was reset has its old count',
      ],
    ),
    inFile('packages/postgres/src/contended.ts', [
      'contended keys are never forgotten',
      'if (this.#untilMs.size >= most) this.#untilMs.clear()\n',
      '',
      'a process grows by every key that was ever contended',
    ]),
    inFile(
      'packages/postgres/src/in-turn.ts',
      [
        'a broken connection goes back into the pool',
        'client.release(broken)',
        'client.release(false)',
        'the next request gets a connection with a transaction of another one',
      ],
      [
        'listeners stay on the pool’s connections',
        "client.off?.('error', end)\n",
        '',
        'a connection has a listener for each turn that it took',
      ],
    ),
    inFile('packages/postgres/src/sweeper.ts', [
      'a sweep ends after one batch',
      'count === batch && !this.#stopped; deleted += count',
      'count === batch && !this.#stopped && deleted === 0; deleted += count',
      'dead rows come faster than they are deleted',
    ]),
    inFile('packages/postgres/src/statements.ts', [
      'errors show keys',
      'throw withoutKeys(error)',
      'throw error',
      'an error of the server ends up in a log with its keys',
    ]),
    inFile('packages/postgres/src/seats.ts', [
      'a failure keeps its seat',
      'try {\n      return await work()\n    } finally {\n      const next = this.#waiting.shift()\n      if (next === undefined) this.#free++\n      else next()\n    }',
      'const done = await work()\n    const next = this.#waiting.shift()\n    if (next === undefined) this.#free++\n    else next()\n    return done',
      'after some failures no contended key is ever decided again',
    ]),
  ),
]
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: these are pieces of code
