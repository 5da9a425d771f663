import { inFile } from '../fault.ts'
import { type GuardedFault, noticedBy } from '../guarded.ts'

/** Vectors and the oracle; then random histories, in which both halves must say the same. */
const inMemory = ['packages/core/test/store/memory.test.ts', 'packages/core/test/store/redis.redis.test.ts']
const folder = 'packages/core/src/strategies'

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: these are pieces of code
/** The arithmetic in TypeScript. */
export const strategyFaults: readonly GuardedFault[] = [
  ...noticedBy(
    { tests: [inMemory[0] ?? ''], named: 'other numbers|smaller one' },
    inFile('packages/core/src/memory/adjust.ts', [
      'what is given back repairs the state by the numbers that were charged',
      'givenBack(place, table.storedAt(slot), {',
      'givenBack(place, table.stateAt(slot, numbers, nowUs), {',
      'a window of an hour ends after a minute, since a limit was changed',
    ]),
  ),
  ...noticedBy(
    { tests: ['packages/core/test/memory/take.test.ts'] },
    inFile(
      `${folder}/gcra.ts`,
      [
        'one unit at the last instant',
        'if (slackUs < 0)',
        'if (slackUs <= 0)',
        'a check in memory refuses the last unit of a burst, which any other question gets',
      ],
      [
        'a limit of 0 has a wait',
        'if (capacity === 0) return undefined',
        '',
        'a caller waits for what never comes',
      ],
    ),
    inFile(`${folder}/window.ts`, [
      'the end belongs to the window',
      'if (leftUs <= 0 || !limit) return',
      'if (leftUs < 0 || !limit) return',
      'a check at the end of a window is counted in the one before',
    ]),
    inFile(
      'packages/core/src/memory/table.ts',
      [
        'a count that began anew is not marked',
        ' || this.#eras.has(key)',
        '',
        'a charge from before a reset is given back to the new count',
      ],
      [
        'only blocked keys are marked',
        ' || this.#eras.size > 0',
        '',
        'a charge from before a reset is given back to the new count',
      ],
    ),
    inFile(
      'packages/core/src/memory/counter.ts',
      [
        'a used-up key is not noted',
        'if (row.allowed && (row.remaining <= 0 || !table.evictionOrder.isOpen(slot))) table.note(slot, nowUs)',
        '',
        'new keys share a count where there is room for them',
      ],
      [
        'a refusal blocks nobody',
        'blocking === undefined && definition.packed?.takeOne ?',
        'definition.packed?.takeOne ?',
        'blockFor does nothing in memory',
      ],
    ),
  ),
  ...noticedBy(
    ['packages/core/test/memory/take-one.test.ts', 'packages/core/test/memory/take.test.ts'],
    inFile('packages/core/src/memory/column.ts', [
      'a state that is more than numbers is read as numbers',
      'return this.#rests?.has(slot) ? undefined : this.#values',
      'return this.#values',
      'what calls with other numbers have charged is forgotten',
    ]),
    inFile('packages/core/src/memory/table.ts', [
      'one key of other numbers slows all keys',
      'if (nowUs < this.#latestUs || this.#numbers.at(slot) !== numbers)',
      'if (nowUs < this.#latestUs || this.#numbers.differ(numbers))',
      'after one call with numbers of its own each check of the limiter costs twice as much',
    ]),
  ),
  ...noticedBy(
    { tests: inMemory, named: 'gcra' },
    inFile(
      `${folder}/gcra.ts`,
      [
        'a full key counts as reserved',
        'const held = aheadUs > numbers.toleranceUs',
        'const held = aheadUs >= numbers.toleranceUs',
        'of a key that has used exactly its burst an earlier charge is not given back',
      ],
      [
        'a charge is given back behind a reward',
        'if (backUs < mineBackUs || (held',
        'if ((held',
        'a receipt from before what was forgotten gives units back that others have taken',
      ],
      [
        'a refusal rounds up what is left',
        'Math.floor(leftUs / intervalUs)',
        'Math.ceil(leftUs / intervalUs)',
        'a refusal says that a unit is left which is not there yet',
      ],
      [
        'a slower rate gains a microsecond',
        'Math.ceil(((tatUs - nowUs) * intervalUs) / state.intervalUs)',
        'Math.floor(((tatUs - nowUs) * intervalUs) / state.intervalUs)',
        'after a change of the rate memory is a microsecond ahead of the script',
      ],
      [
        'only what is cut off counts as given back',
        'backOf(state, nowUs) + state.tatUs - nowUs',
        'backOf(state, nowUs) + state.tatUs - tatUs',
        'where a burst was made smaller, the refund of one charge gives back what was cut off of another',
      ],
      [
        'debt has no bound',
        'Math.max(baseUs, Math.min(tatUs, horizonOf(numbers, nowUs)))',
        'Math.max(baseUs, tatUs)',
        'a penalty keeps a key out for longer than maxDebt says',
      ],
    ),
  ),
  ...noticedBy(
    { tests: inMemory, named: 'tokenBucket|leakyBucket' },
    inFile(
      `${folder}/bucket.ts`,
      [
        'a wait is rounded down',
        'added > full ? null : Math.ceil(-room / flow)',
        'added > full ? null : Math.floor(-room / flow)',
        'who comes back after the stated wait is refused',
      ],
      [
        'a reset is rounded down',
        'resetAfterUs: Math.ceil((fits ? used + added : used) / flow)',
        'resetAfterUs: Math.floor((fits ? used + added : used) / flow)',
        'a refusal says that the bucket is full again before it is',
      ],
      [
        'a penalty waits one token longer',
        'Math.min((capacity - 1) * parts + waitUs * flow, mostOf(numbers))',
        'Math.min(capacity * parts + waitUs * flow, mostOf(numbers))',
        'penalize(key, 1000) keeps a key out for longer than a second',
      ],
      [
        'a token is given back twice',
        'const free = held ? Number.POSITIVE_INFINITY : mineNow - (back - mineBack)',
        'const free = held ? Number.POSITIVE_INFINITY : mineNow',
        'what was given back of a charge does not lessen what it still holds',
      ],
    ),
  ),
  ...noticedBy(
    { tests: inMemory, named: 'tokenBucket|leakyBucket' },
    inFile(
      `${folder}/bucket-state.ts`,
      [
        'an empty bucket is forgotten too early',
        'return Math.max(2 * Math.ceil(full / numbers.flow), oneMinuteUs) +',
        'return 2 * Math.ceil(full / numbers.flow) +',
        'a key of a small bucket that starts empty never fills, as it starts again and again',
      ],
      [
        'other parts are rounded down',
        'Math.ceil((state.used * parts) / state.parts)',
        'Math.floor((state.used * parts) / state.parts)',
        'a new rate gives away a part of a token',
      ],
    ),
  ),
  ...noticedBy(
    { tests: inMemory, named: 'fixedWindow' },
    inFile(
      `${folder}/fixedWindow.ts`,
      [
        'a window has one more microsecond',
        'const running = state !== undefined && state.endUs > nowUs',
        'const running = state !== undefined && state.endUs >= nowUs',
        'who comes back at the stated instant is refused once more',
      ],
      [
        'a refund goes into the next window',
        'receipt !== `${receiptOf(state)}`) return state',
        'receipt === "") return state',
        'what an earlier window has counted is given back to a later one',
      ],
      [
        'a window that was cut short leaves its receipts as they are',
        '{ ...state, endUs, cutUs: cutAgain(state, state.endUs) }',
        '{ ...state, endUs }',
        'what a window counted that other numbers have cut short is given back to a later one that ends at the same instant',
      ],
      [
        'memory forgets a cut with the window that was cut',
        'Math.max(endUs, cutUs) - nowUs',
        'endUs - nowUs',
        'what a window counted is given back to a later one once its key was idle',
      ],
      [
        'a reward opens a debt',
        'if (state.endUs <= nowUs) return state\n    return { ...state, count: Math.max(0, state.count - units) }',
        'if (state.endUs <= nowUs) return state\n    return { ...state, count: state.count - units }',
        'a reward of more than was used lets more than the limit pass',
      ],
    ),
  ),
  ...noticedBy(
    { tests: inMemory, named: 'slidingWindowCounter' },
    inFile(
      `${folder}/slidingWindowCounter.ts`,
      [
        'what overlaps is rounded down',
        'Math.max(0, free - total - Math.ceil((previous * restUs) / windowUs))',
        'Math.max(0, free - total - Math.floor((previous * restUs) / windowUs))',
        'an answer says that a unit is left which is refused',
      ],
      [
        'the last window counts on for an instant',
        'const previous = endUs + windowUs > nowUs ? count : 0',
        'const previous = endUs + windowUs >= nowUs ? count : 0',
        'a key that was idle for a whole window is refused at its end',
      ],
      [
        'the last window is never given back',
        'return { ...state, previous: Math.max(0, previous - units) }',
        'return state',
        'a refund after the window has turned is lost',
      ],
      [
        'counters that were cut short count on once they are over',
        'count: isOver ? 0 : count + previous, cutUs }',
        'count: count + previous, cutUs }',
        'after a change of the window units count that had left it',
      ],
      [
        'counters forget a cut as soon as the window turns',
        'cutUs: isCut ? cutUs : undefined',
        'cutUs: undefined',
        'what counts on after a change of the window is given back to nobody, or twice',
      ],
    ),
  ),
  ...noticedBy(
    { tests: inMemory, named: 'slidingWindowLog' },
    inFile(
      `${folder}/slidingWindowLog.ts`,
      [
        'an entry counts one instant too long',
        'if ((atUs[middle] ?? 0) > instantUs) high = middle',
        'if ((atUs[middle] ?? 0) >= instantUs) high = middle',
        'who comes back after the stated wait is refused',
      ],
      [
        'a penalty fills the memory',
        'const units = Math.min(cost, mostAtOnce(limit), maxEntries - (log.atUs.length - log.head))',
        'const units = cost',
        'a penalty keeps an entry for each of its units, however many they are',
      ],
      [
        'a clock that steps back loses the order',
        'const admittedUs = Math.max(atUs, newestUs(log))',
        'const admittedUs = atUs',
        'entries are not in the order in which they are searched',
      ],
    ),
  ),
  ...noticedBy(
    { tests: inMemory, named: 'multiWindow' },
    inFile(
      `${folder}/multiWindow.ts`,
      [
        'a slot counts one instant too long',
        'if (endUs + windowUs > nowUs) sum += count',
        'if (endUs + windowUs >= nowUs) sum += count',
        'who comes back after the stated wait is refused',
      ],
      [
        'the shorter of two equal waits is described',
        'waitUs >= refusing.waitUs',
        'waitUs > refusing.waitUs',
        'memory and scripts describe different windows of one refusal',
      ],
      [
        'a slot falls below nothing',
        'slot.count = Math.max(0, slot.count - units)',
        'slot.count -= units',
        'what is given back twice lets more than the limit pass',
      ],
    ),
  ),
  ...noticedBy(
    { tests: inMemory, named: 'attributedWindow' },
    inFile(
      `${folder}/attributedWindow.ts`,
      [
        'the notes of others are given back',
        'goes: (n) => entries[n]?.call === call',
        'goes: () => true',
        'a refund takes out whoever came last',
      ],
      [
        'a note is counted for each call',
        'while (entries.length < total) entries.push(entry)',
        'if (entries.length < total) entries.push(entry)',
        'a call of many units counts as one',
      ],
    ),
  ),
  ...noticedBy({ tests: inMemory, named: 'fairShare' }, [
    ...inFile(
      `${folder}/fair-window.ts`,
      [
        'the rest is not divided anew',
        'units -= wish.units',
        'units -= 0',
        'more is promised than the limit',
      ],
      [
        'weights count for nothing',
        'kept: Math.min(part, Math.floor((limit * weight) / (all + 1)))',
        'kept: Math.min(part, Math.floor(limit / (all + 1)))',
        'newcomers take what is kept for a client of weight 3',
      ],
    ),
    ...inFile(
      `${folder}/fair-window.ts`,
      [
        'what is kept for others is anybody’s',
        'Math.min(share - used, room - window.kept + unused(kept, client))',
        'Math.min(share - used, room)',
        'a flood of new names takes the share of a client that is known',
      ],
      [
        'others’ shares are anybody’s',
        'Math.min(part - used, room - window.fair + unused(fair, client))',
        'Math.min(part - used, room)',
        'a client that asked for much takes the share of one that asks for more than before',
      ],
      [
        'there are seats for all',
        'clients.size - (clients.has(others) ? 1 : 0) < maxClients',
        'clients.size >= 0',
        'a flood of names fills the store',
      ],
    ),
    ...inFile(
      `${folder}/fairShare.ts`,
      [
        'who asked in vain is forgotten',
        'countFor(now, seen, { taken: 0, asked })',
        'countFor(now, seen, { taken: 0, asked: 0 })',
        'one who comes too late has no share of the next window either',
      ],
      [
        'a refund goes to the window that runs',
        'if (state.endUs <= nowUs || state.endUs !== Number.parseInt(receipt, 10)) return state',
        'if (state.endUs <= nowUs) return state',
        'what was charged before is given back twice',
      ],
    ),
  ]),
  ...noticedBy(
    { tests: inMemory, named: 'uniform' },
    inFile(
      `${folder}/uniform.ts`,
      [
        'a partial refund opens the gate',
        'if (units < charged || state.opensUs !== Number(receipt)) return state',
        'if (state.opensUs !== Number(receipt)) return state',
        'who settles for a lower cost gets a request for nothing',
      ],
      [
        'a refund opens the gate for all',
        'return foundUs > nowUs ? { ...state, opensUs: foundUs } : { opensUs: 0 }',
        'return { opensUs: 0 }',
        'a reservation that is given back lets somebody pass before those who came first',
      ],
      [
        'a gate stays shut for as long as it is charged',
        'Math.max(closedUs, Math.min(chargedUs, furthestUs(numbers, nowUs)))',
        'Math.max(closedUs, chargedUs)',
        'a penalty of many units keeps a key out for longer than maxDebt says',
      ],
    ),
  ),
  ...noticedBy(
    { tests: inMemory, named: 'concurrency' },
    inFile(
      `${folder}/concurrency.ts`,
      [
        'a wait is as long as a lease',
        'return Math.min(endUs - nowUs, longestAdviceUs)',
        'return endUs - nowUs',
        'clients wait half a minute for a place that is free in a moment',
      ],
      [
        'an ended lease is not taken again at the limit',
        'liveUnits(state, nowUs) + charged > limit',
        'liveUnits(state, nowUs) + charged >= limit',
        'a process that was paused loses the last place although it is free',
      ],
      [
        'a refused place is renewed all the same',
        'if (!held && liveUnits(state, nowUs) + charged > limit) return undefined\n',
        '',
        'who was paused takes a place that has become another’s',
      ],
    ),
  ),
  ...noticedBy(
    { tests: inMemory, named: 'block' },
    inFile(`${folder}/block-for.ts`, [
      'the second block is as long as the third',
      'for (let i = 1; i < nth && us < longestUs; i++)',
      'for (let i = 1; i <= nth && us < longestUs; i++)',
      'blocks grow one step too early',
    ]),
  ),
  ...noticedBy(
    { tests: inMemory, named: 'block' },
    inFile(
      'packages/core/src/memory/block-for.ts',
      [
        'a ban comes one block early',
        'times > blocking.banAfter',
        'times >= blocking.banAfter',
        'banAfter: 5 bans at the fifth block',
      ],
      [
        'a block is shorter than the wait',
        'const untilUs = nowUs + Math.max(lengthUs, row.retryAfterUs)',
        'const untilUs = nowUs + lengthUs',
        'a short block says that a key is free before its window is over',
      ],
    ),
  ),
  ...noticedBy(
    ['packages/core/test/strategies/complete.test.ts'],
    inFile(`${folder}/concurrency.ts`, [
      'ended leases stay',
      'dropEnded(state, nowUs)\n    return add(state, id, { endUs, units',
      'return add(state, id, { endUs, units',
      'a busy key grows by every request that was never released',
    ]),
  ),
  ...noticedBy(
    ['packages/core/test/strategies/calendar.test.ts', ...inMemory],
    inFile(`${folder}/calendar.ts`, [
      'midnight belongs to the day before',
      'us >= window.startUs && us < window.endUs',
      'us >= window.startUs && us <= window.endUs',
      'the first request of a day is counted in the last one',
    ]),
    inFile(`${folder}/calendar.ts`, [
      'a day begins up to an hour late',
      'while (late - early > 1) {',
      'while (late - early > 3_600_000) {',
      'where clocks skip midnight the first requests of a day are counted in the last one',
    ]),
    inFile(`${folder}/calendar-text.ts`, [
      'a week begins on Sunday',
      'const firstMonday = 5',
      'const firstMonday = 4',
      'the quota of a week comes a day early',
    ]),
  ),
  ...noticedBy(
    ['packages/core/test/strategies/calendar-beginnings.test.ts'],
    inFile(
      `${folder}/calendar.ts`,
      [
        'months from the 31st drift',
        'Math.min(Date.UTC(1970, own, day), Date.UTC(1970, own + 1, 0))',
        'Date.UTC(1970, own, day)',
        'what is sold from the 31st begins in March where February is meant',
      ],
      [
        'the first period begins before its instant',
        'if (place === 0 && sinceMs !== undefined) return sinceMs',
        'if (place === 0 && sinceMs === 0) return sinceMs',
        'where clocks showed its time twice, a period begins an hour early',
      ],
    ),
  ),
  ...noticedBy(
    ['packages/core/test/limiter/since.test.ts', ...inMemory],
    inFile('packages/core/src/decision/lane.ts', [
      'since is passed over without a calendar',
      'if (since === undefined || checks.length === 0) return',
      'if (since !== null || checks.length === 0) return',
      'a customer has another period than the call has said, and nothing tells why',
    ]),
  ),
  ...noticedBy(
    ['packages/conformance/test/docs/options.test.ts', 'packages/core/test/strategies/options.test.ts'],
    inFile(`${folder}/common-options.ts`, [
      'notes are shorter than the page says',
      'max: 1024, default: 64 }',
      'max: 1024, default: 63 }',
      'a default is not what the page says',
    ]),
  ),
  ...noticedBy(
    ['packages/core/test/strategies/complete.test.ts'],
    inFile(`${folder}/leakyBucket.ts`, [
      'two strategies have one name in the store',
      "code: 'lb'",
      "code: 'tb'",
      'a leaky bucket and a token bucket of one name count together',
    ]),
  ),
]
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: these are pieces of code
