import { inFile } from '../fault.ts'
import { type GuardedFault, noticedBy } from '../guarded.ts'

const folder = 'packages/core/src'
const test = 'packages/core/test/limiter'

/** What a limiter makes of a store's answers, and what it does for callers until they are over. */
export const limiterFaults: readonly GuardedFault[] = [
  ...noticedBy(
    [`${test}/binding.test.ts`, `${test}/shadow.test.ts`],
    inFile(
      `${folder}/decision/binding.ts`,
      [
        'the shorter wait binds',
        'return later.waitUs > earlier.waitUs',
        'return later.waitUs < earlier.waitUs',
        'a client comes back while another policy still refuses it',
      ],
      [
        'of equal policies the later one binds',
        'return later.windowMs > earlier.windowMs',
        'return later.windowMs >= earlier.windowMs',
        'fields name another policy than the page says',
      ],
      [
        'a wait of never is the shortest',
        'retryAfterUs < 0 ? Number.POSITIVE_INFINITY : retryAfterUs',
        'retryAfterUs',
        'a client is told to come back although it never passes',
      ],
      [
        'units are taken for requests',
        'Math.floor(remaining / cost)',
        'remaining',
        'fields speak of a policy that has room for many more such requests than another one',
      ],
    ),
    inFile(
      `${folder}/decision/summary.ts`,
      [
        'seconds of a summary are rounded up',
        'return Math.trunc(us / 1e6)',
        'return Math.ceil(us / 1e6)',
        'the five numbers are not those of redis-cell',
      ],
      [
        'a level that never passes has a wait',
        'never ? -1 : retry',
        'retry',
        'the five numbers tell a caller to come back in vain',
      ],
      [
        'the largest remaining is told',
        'remaining = Math.min(remaining, next[2])',
        'remaining = Math.max(remaining, next[2])',
        'a caller believes in units that another level does not have',
      ],
    ),
    inFile(
      `${folder}/decision/limiter-decision.ts`,
      [
        'a refusal names its own wait alone',
        ': longestWaitUs(answered)\n',
        ': row.retryAfterUs\n',
        'a client comes back while another level still refuses it',
      ],
      [
        'a shadow policy alone refuses',
        'return { ...row, allowed: true, reason: null, waitUs }',
        'return { ...row, waitUs }',
        'a limit that is only tried out refuses',
      ],
    ),
    inFile(`${folder}/limiter/inspecting.ts`, [
      'an inspected shadow policy refuses',
      '...(check.shadow && !verdict.allowed && { ...passes, shadow: verdict }),',
      '',
      'a look at a key shows a limit that is only tried out as refusing',
    ]),
  ),
  ...noticedBy(
    [`${test}/settle.test.ts`, `${test}/leases.test.ts`],
    inFile(
      `${folder}/decision/limiter-decision.ts`,
      [
        'a decision is settled twice',
        'if (more.settled) return\n',
        '',
        'who gives back twice lets more than the limit pass',
      ],
      [
        'places are freed twice',
        'if (more.released) return\n',
        '',
        'each request in flight is two calls to the store when it is over',
      ],
      [
        'what took nothing is corrected',
        "if (receipt === '' || inFlight) return 0",
        'if (inFlight) return 0',
        'a refused request that is settled is charged',
      ],
      [
        'a settlement frees a place',
        "if (receipt === '' || inFlight) return 0",
        "if (receipt === '') return 0",
        'a request that is under way gives its place to another',
      ],
      [
        'a gate shuts once more when a cost is corrected',
        'return byUnits > 0 && countsRequests ? 0 : byUnits',
        'return byUnits',
        'a request that cost more than was thought keeps a client out for longer than an interval',
      ],
      [
        'a policy of which settle says nothing is given back',
        'forPolicy(cost, check.lane.name, check.cost / scale)',
        'forPolicy(cost, check.lane.name, 0)',
        'settle({ tokens: 2 }) gives back the request that another policy has counted',
      ],
    ),
  ),
  ...noticedBy(
    [`${test}/up-to.test.ts`],
    inFile(
      `${folder}/limiter/up-to.ts`,
      [
        'a part is settled as the whole',
        'taken === 0 || taken === check.cost ? check : { ...check, cost: taken }',
        'check',
        'a refund of a part gives back the whole',
      ],
      [
        'a place is taken in parts',
        'if (inFlight || countsRequests)',
        'if (countsRequests)',
        'take: "up-to" answers nonsense for requests in flight',
      ],
      [
        'policies may cost different amounts',
        'if (steps !== 0 && cost !== steps)',
        'if (steps < 0)',
        'what was taken is one number, which is wrong for one of the policies',
      ],
    ),
  ),
  ...noticedBy(
    [`${test}/leases.test.ts`],
    inFile(
      `${folder}/places/lease-renewal.ts`,
      [
        'renewals come when the lease is over',
        'this.dueUs = renewedUs + this.leaseUs / 3',
        'this.dueUs = renewedUs + this.leaseUs',
        'a long request loses its place while it runs',
      ],
      [
        'a second renewal does not come',
        'for (const kept of old) kept.dueUs = beganUs + kept.leaseUs / 3\n',
        'for (const kept of old) kept.dueUs = Number.POSITIVE_INFINITY\n',
        'a request that takes longer than two leases loses its place',
      ],
      [
        'each lease is renewed by a call of its own',
        'dueUs - nowUs <= leaseUs / 6',
        'dueUs - nowUs <= 0',
        'a thousand requests in flight are a thousand calls',
      ],
      [
        'all leases are renewed in one turn',
        'if (at > 0) await new Promise<void>(nextTurn)\n',
        '',
        'a process with very many requests in flight stands still while it renews their places',
      ],
      [
        'what is given back while others are renewed is renewed',
        'old.slice(at, at + mostAtOnce).filter(({ row }) => this.#kept.has(row))',
        'old.slice(at, at + mostAtOnce)',
        'a place is taken again, and then given back, for nobody',
      ],
      [
        'short leases wait for long ones',
        'a.leaseUs - b.leaseUs',
        'b.leaseUs - a.leaseUs',
        'a short lease ends before it is renewed where very many long ones are',
      ],
      [
        'a failed renewal waits for its turn',
        'kept.leaseUs / 12',
        'kept.leaseUs',
        'one lost call ends a lease',
      ],
      [
        'a lost place is told at each renewal',
        'if (lost && !kept.lost) {',
        'if (lost) {',
        'one lost lease fills a log',
      ],
      [
        'what came to life again stays',
        "if (outcome === 'regained') void owner.adjust([givingBack(kept)])",
        'void outcome',
        'nobody has a place until its lease ends',
      ],
      [
        'a closed limiter renews on',
        'for (const { row } of this.#allOf(owner)) this.drop(row)\n',
        '',
        'places of a limiter that is gone are never free',
      ],
      [
        'a closed limiter waits for no connection that was cut off',
        'turn < 2',
        'turn < 1',
        'streams that a shutdown ends keep their places for a lease',
      ],
      [
        'a closed limiter waits for nothing that is given back',
        'await Promise.all(this.#freeing)\n',
        '',
        'the last places that a process gives back stay taken for a lease',
      ],
      [
        'a sooner renewal waits for a later one',
        'if (dueUs >= this.#wakesUs) return\n',
        'if (this.#wakesUs < Number.POSITIVE_INFINITY) return\n',
        'a short lease ends before it is renewed where a longer one was there first',
      ],
    ),
    inFile(`${folder}/places/places.ts`, [
      'leases go on after their release',
      'lapse(leases, store)\n    await',
      'await',
      'each place that was freed is renewed for ever',
    ]),
  ),
  ...noticedBy(
    [`${test}/places.test.ts`, `${test}/line-order.test.ts`],
    inFile(
      `${folder}/places/seek.ts`,
      [
        'a caller that never fits waits in line',
        'if (check.cost === 0 || check.cost > check.policy.limit) return undefined',
        'if (check.cost === 0) return undefined',
        'behind others who wait, it waits for its whole time and is refused then',
      ],
      [
        'who has gone keeps a place',
        'void decisionOf(this.#limiter, this.#question.checks, rows).release()\n      throw error',
        'throw error',
        'a place is taken by a caller that gave up while its answer was on the way',
      ],
    ),
  ),
  ...noticedBy(
    [`${test}/line-order.test.ts`],
    inFile(`${folder}/places/line-here.ts`, [
      'a block leaves the line standing',
      'else if (isBlock(place.row.reason)) this.#refuseAll(place)\n',
      '',
      'callers of a blocked key wait until their time is over',
    ]),
  ),
  ...noticedBy(
    [
      'packages/core/test/waiting/jitter.test.ts',
      `${test}/wait.test.ts`,
      `${test}/giving-up.test.ts`,
      `${test}/reserve.test.ts`,
    ],
    inFile(
      `${folder}/waiting/wait.ts`,
      [
        'chance lets callers through early',
        'return Math.max(1, from + (to - from) * Math.random())',
        'return from + (to - from) * Math.random()',
        'half of the callers come before their time',
      ],
      [
        'a sleep grows without a bound',
        'Math.min(ms * factorOf(jitter), ms + spacingMs)',
        'ms * factorOf(jitter)',
        'a caller far back in line is late by more than a turn',
      ],
    ),
    inFile(
      `${folder}/reserving/delays.ts`,
      [
        'a turn stays taken by who gave up before it was known',
        'sleepers.giveUp({ turn: sleepers.turns++, decision: reserved })\n',
        'sleepers.leave()\n',
        'all who come later wait for a turn that nobody takes',
      ],
      [
        'a turn stays taken by who found no place to sleep',
        'void decision.refund()\n    throw error',
        'throw error',
        'all who come later wait for a turn that nobody takes',
      ],
      [
        'a question that was rejected keeps a place to sleep',
        'sleepers.leave()\n      throw error\n    },',
        'throw error\n    },',
        'after maxSleepers failures no caller may wait',
      ],
      [
        'a question that threw keeps a place to sleep',
        'sleepers.leave()\n    throw error\n  }\n  return isLater',
        'throw error\n  }\n  return isLater',
        'after maxSleepers failures no caller may wait',
      ],
      [
        'who need not wait keeps a place to sleep',
        'sleepers.leave()\n    return decision\n',
        'return decision\n',
        'after maxSleepers callers nobody may wait',
      ],
    ),
    inFile(`${folder}/waiting/sleepers.ts`, [
      'turns are given back in the order in which they came',
      'other.turn - one.turn',
      'one.turn - other.turn',
      'of several callers that give up at once only the last turn is free again',
    ]),
    inFile(`${folder}/limiter/question-limiter.ts`, [
      'a caller waits beyond the debt of a policy',
      'acceptedUs = Math.min(acceptedUs, definition.debtUs?.(numbers) ?? 0)',
      'acceptedUs = Math.max(acceptedUs, definition.debtUs?.(numbers) ?? 0)',
      'maxDebt bounds nothing',
    ]),
  ),
  ...noticedBy(
    ['packages/http/test/lists/lists.test.ts'],
    inFile(`${folder}/limiter/question-limiter.ts`, [
      'a refusal of a list is silent',
      'const decision = refusedUncounted(this.name, policy, refusal)\n    this.#reports.decided(decision, { operation, durationMs: 0 })',
      'const decision = refusedUncounted(this.name, policy, refusal)\n    void operation',
      'metrics and logs do not show who was denied',
    ]),
    inFile(
      `${folder}/limiter/limiter-lists.ts`,
      [
        'a denied client learns when its entry ends',
        "return list === 'deny' ? denied : { reason: 'blocked', retryAfterMs: endsInMs }",
        "return { ...(list === 'deny' ? denied : { reason: 'blocked' }), retryAfterMs: endsInMs }",
        'a denied client learns when to come again',
      ],
      [
        'an allowed key spares all policies',
        'left = left.filter((each) => each !== check)',
        'left = []',
        'an allowed client overruns a resource that all share',
      ],
      [
        'of several refused keys the first decides',
        'else if (refused === undefined || strongerOf(refused.listed, listed) === listed)',
        'else if (refused === undefined)',
        'a denied client learns when to come again, as another key of its request is blocked',
      ],
      [
        'of several refused keys the last decides',
        'else if (refused === undefined || strongerOf(refused.listed, listed) === listed)',
        'else',
        'a denied client learns when to come again, as another key of its request is blocked',
      ],
      [
        'one source of lists is asked for addresses',
        'for (const lists of this.given) found = strongerOf(found, lists.ofAddress(address, this.#limiter))',
        'found = this.given[0]?.ofAddress(address, this.#limiter)',
        'an address that a file allows is counted where lists in Redis are given too',
      ],
      [
        'an inspection knows no lists',
        'if (listed === undefined) return inspection\n',
        'return inspection\n',
        'an engineer sees a free key where a client is denied',
      ],
    ),
    inFile(
      `${folder}/lists.ts`,
      [
        'a block comes before a denial',
        'deny: 3, block: 2, allow: 1',
        'deny: 2, block: 3, allow: 1',
        'who is denied passes once a shorter block is over',
      ],
      [
        'an allowed key is never denied',
        'deny: 3, block: 2, allow: 1',
        'deny: 1, block: 2, allow: 3',
        'an attacker in an allowed network cannot be denied',
      ],
      [
        'of two blocks the sooner end holds',
        'return one.endsInMs >= other.endsInMs ? one : other',
        'return one.endsInMs <= other.endsInMs ? one : other',
        'a second, shorter block ends the first one',
      ],
    ),
  ),
  ...noticedBy(
    [`${test}/observers.test.ts`],
    inFile(`${folder}/limiter/question-limiter.ts`, [
      'plain checks are decided unseen',
      "this.#reports.decided(decision, { operation: 'check', durationMs: performance.now() - startedAt })\n",
      '',
      'no metric and no recording shows what most callers ask of a store in memory',
    ]),
    inFile(`${folder}/limiter/question-limiter.ts`, [
      'acts are told before they are done',
      `await Promise.all(checks.map((check) => this.asked.manage({ ...command, check })))
    this.acted(checks, {
      act: command.op,
      ...('us' in command && { forMs: msUp(command.us) }),
      ...reason,
    })`,
      `this.acted(checks, {
      act: command.op,
      ...('us' in command && { forMs: msUp(command.us) }),
      ...reason,
    })
    await Promise.all(checks.map((check) => this.asked.manage({ ...command, check })))`,
      'an act that has failed is in the log',
    ]),
  ),
  ...noticedBy(
    [`${test}/fractions.test.ts`],
    inFile(`${folder}/limiter/question-limiter.ts`, [
      'a correction is told in units',
      'units: byUnits / scaleOf(check)',
      'units: byUnits',
      'a metric shows millionths where amounts are meant',
    ]),
    inFile(`${folder}/limiter/inspecting.ts`, [
      'inspect names the cost of a call',
      'new PolicyVerdict({ ...check, cost: 1 }, row)',
      'new PolicyVerdict(check, row)',
      'an inspection names an amount for which it does not answer',
    ]),
  ),
  ...noticedBy(
    [`${test}/around.test.ts`],
    inFile(`${folder}/limiter/question-limiter.ts`, [
      'a limiter closes the store of others',
      'if (this.#ownsAsked) await this.asked.close()',
      'await this.asked.close()',
      'a limiter that is closed takes the counts of others along',
    ]),
  ),
  ...noticedBy(
    [`${test}/operations.test.ts`],
    inFile('packages/core/src/memory/adjust.ts', [
      'a blocked key is corrected',
      'if (table.blocks.restUs(check.key, nowUs) > 0) return\n',
      '',
      'what comes back late changes the count behind a block, in memory alone',
    ]),
    inFile('packages/core/src/memory/manage.ts', [
      'a later penalty shortens a block',
      'old.untilUs >= nowUs + us',
      'old.untilUs > nowUs + us + 1e12',
      'a short penalty ends a long block',
    ]),
    inFile('packages/core/src/memory/keys.ts', [
      'a count that is set lifts a block',
      'if (block !== undefined) this.block(check, block, nowUs)\n    else if',
      'if',
      'who corrects a count by hand unblocks its key',
    ]),
  ),
]
