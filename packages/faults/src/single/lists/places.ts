import { inFile } from '../fault.ts'
import { type GuardedFault, noticedBy } from '../guarded.ts'

const test = 'packages/core/test'
const inRedis = { tests: [`${test}/store/redis.redis.test.ts`], named: 'concurrency' }
const inMemory = { tests: [`${test}/store/memory.test.ts`], named: 'concurrency' }

/** Requests in flight: their leases, and the callers that wait for a place. */
export const placeFaults: readonly GuardedFault[] = [
  ...noticedBy(
    inRedis,
    inFile(
      'lua/strategies/concurrency.lua',
      [
        'a wait for a place is as long as a lease, in Redis',
        'local limit, dead_us, latest_us, longest_us = ARGV[at] + 0, now_us, now_us + ARGV[at + 1], 1000000',
        'local limit, dead_us, latest_us, longest_us = ARGV[at] + 0, now_us, now_us + ARGV[at + 1], 1000000000',
        'clients wait half a minute for a place that is free in a moment',
      ],
      [
        'a lease that has ended is renewed beyond the limit',
        'elseif count + units > ARGV[at] + 0 then\n    return 0\n  end',
        'end',
        'a process that was paused takes places that have become others’',
      ],
      [
        'a lease that has ended is not renewed at the limit',
        'elseif count + units > ARGV[at] + 0 then',
        'elseif count + units >= ARGV[at] + 0 then',
        'a process that was paused loses the last place although it is free',
      ],
      [
        'who leaves the line keeps a place',
        "for _, mark in ipairs({ '~', '=', '' }) do\n        remove",
        "for _, mark in ipairs({ '~', '=' }) do\n        remove",
        'a place whose answer was lost is taken until its lease ends',
      ],
      [
        'who holds a place waits for another',
        'if caller.holds then',
        'if false then',
        'a caller whose answer was lost has two places',
      ],
      [
        'who asks again comes last',
        'caller.turn = math.min(caller.turn, caller.since or caller.turn)',
        '',
        'a caller that waits is passed by all who come later',
      ],
      [
        'a line has no bound',
        'elseif waiting + caller.units > 10000 then',
        'elseif false then',
        'callers that wait fill the memory of Redis',
      ],
      [
        'priorities count for nothing, in Redis',
        'return math.floor(since_us / 128) - (priority + 101) * 2 ^ 45',
        'return math.floor(since_us / 128)',
        'an important caller waits behind all others',
      ],
      [
        'who keeps a turn is served',
        'if outcomes[caller.nth] == 1 and not caller.stands then',
        'if outcomes[caller.nth] == 1 then',
        'a place is given to a caller that does not hear of it',
      ],
      [
        'a claim lives as long as a lease',
        'math.min(end_us, now_us + 3000000)',
        'end_us',
        'after a crash of a process others wait for half a minute behind its callers',
      ],
      [
        'a lease of a chosen policy is as long as any, in Redis',
        "if ARGV[at + 2] == '1' then\n    call = string",
        'if false then\n    call = string',
        'a call with a short lease ends those of long exports',
      ],
    ),
    inFile(
      'lua/renew.lua',
      [
        'a renewal ends a block',
        "if until_us > now_us then\n        write_block(key, until_us, now_us + left_us(key), redis.call('DUMP', key))\n      end\n",
        '',
        'a client that was blocked passes as soon as one of its requests goes on',
      ],
      [
        'leases behind a block are not renewed',
        'if until_us then\n      restore(key, kind)',
        'if false then\n      restore(key, kind)',
        'a block takes the places of requests that go on',
      ],
    ),
  ),
  ...noticedBy(
    [`${test}/redis/dead.redis.test.ts`],
    inFile('lua/strategies/concurrency.lua', [
      'turns of callers that have died stay',
      "if string.sub(ended[i], 1, 1) == '~' then\n      ended[#ended + 1] = '=' .. string.sub(ended[i], 2)\n    end\n",
      '',
      'a busy key grows by a turn for each caller whose process has died',
    ]),
  ),
  ...noticedBy(
    [`${test}/redis/late-lines.redis.test.ts`],
    inFile('lua/line.lua', [
      'who asks too late gets a place',
      'if late then\n',
      'if false then\n',
      'a server that hung gives places to callers that were answered long ago',
    ]),
  ),
  ...noticedBy(
    { tests: [`${test}/store/same-rows.redis.test.ts`], named: 'callers in line' },
    inFile('lua/line.lua', [
      'callers of a blocked key hear nothing',
      'for i = 1, count do\n        outcomes[i] = 0\n      end\n',
      '',
      'a block is taken for a failure of Redis, and its callers are served without it',
    ]),
  ),
  ...noticedBy(
    inMemory,
    inFile(
      'packages/core/src/strategies/concurrency.ts',
      [
        'who leaves the line keeps a place, in memory',
        'for (const { id } of leaving) remove(state, id)\n',
        '',
        'a place whose answer was lost is taken until its lease ends',
      ],
      [
        'a clock that steps back ends later leases first',
        'if (newest <= lease.endUs + slipUs) lease.endUs = Math.max(lease.endUs, newest)\n',
        '',
        'leases are not in the order in which they are looked through',
      ],
      [
        'a shorter lease stands behind a longer one',
        'if (newest > lease.endUs) sortByEnd(state)\n',
        '',
        'a place that has ended counts as long as the longest lease of its key',
      ],
      [
        'a lease lies as far ahead as a clock was',
        'if (newestUs(state) <= latestUs + slipUs) return state\n',
        'return state\n',
        'after a clock was set back places are taken for hours',
      ],
      [
        'those who do not wait pass those who do',
        'return state.line === undefined ? leased : leased + unitsOf(liveClaims(state.line, nowUs))',
        'return leased',
        'a caller in line is never served while others come',
      ],
      [
        'a full key renews nothing',
        'if (!held && liveUnits(state, nowUs) + charged > limit) return undefined',
        'if (liveUnits(state, nowUs) + charged > limit) return undefined',
        'under load all requests lose their places at once',
      ],
      [
        'as many as the limit never fit',
        'cost > limit ? null : freeAfterUs',
        'cost >= limit ? null : freeAfterUs',
        'a request that needs all places gets no time after which to come back',
      ],
    ),
  ),
  ...noticedBy(
    [`${test}/limiter/places.test.ts`, `${test}/limiter/line-order.test.ts`],
    inFile(
      'packages/core/src/places/line-here.ts',
      [
        'of equal callers the last comes first',
        'while (at > 0 && (this.#waiting[at - 1]?.priority ?? 0) < caller.priority) at--',
        'while (at > 0 && (this.#waiting[at - 1]?.priority ?? 0) <= caller.priority) at--',
        'under load who came first is never served',
      ],
      [
        'priorities count for nothing, in a process',
        'while (at > 0 && (this.#waiting[at - 1]?.priority ?? 0) < caller.priority) at--\n',
        '',
        'an important caller waits behind all others of its process',
      ],
      [
        'claims of those who wait lapse',
        'caller.isKnown ? nowUs - caller.askedUs < this.#renewUs : !wanted',
        'caller.isKnown ? true : !wanted',
        'who waits for longer than three seconds is passed by others',
      ],
      [
        'who asks by a check is passed',
        'if (caller?.waiter === undefined) break',
        'if (caller?.waiter === undefined) continue',
        'a place goes to one who came later, as its call was quicker',
      ],
      [
        'a line asks less and less',
        'Math.min(2 * this.#pauseUs, longestUs, this.#renewUs)',
        '2 * this.#pauseUs',
        'a free place of another process is seen minutes later',
      ],
    ),
    inFile('packages/core/src/places/lines.ts', [
      'a place that was given back here waits for the next look',
      'if (line !== undefined) this.#soon(line)\n',
      '',
      'a place stands empty for a quarter of a second after each request',
    ]),
  ),
]
