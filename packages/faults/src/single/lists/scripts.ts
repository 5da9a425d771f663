import { inFile } from '../fault.ts'
import { type GuardedFault, noticedBy } from '../guarded.ts'

const onRedis = ['packages/core/test/store/redis.redis.test.ts']
/** Random histories of scripts that have the policy's numbers in their text. */
const constant = {
  tests: ['packages/core/test/store/same-rows-constants.redis.test.ts'],
  named: 'where numbers are constants',
}
const lives = ['packages/core/test/redis/lives.redis.test.ts']

/** The arithmetic in Lua, and what scripts share. */
export const scriptFaults: readonly GuardedFault[] = [
  ...noticedBy(
    ['packages/core/test/redis/digits.redis.test.ts'],
    inFile('lua/include/digits.lua', [
      'an instant is what 32 bits make of it',
      'if #text == 16 then',
      'if #text > 0 then',
      'on a server of 32 bits all windows end at one instant, long ago',
    ]),
  ),
  ...noticedBy(
    { tests: onRedis, named: 'gcra' },
    inFile(
      'lua/strategies/gcra.lua',
      [
        'a penalty is an interval too long',
        'now_us + wait_us + ARGV[at + 1] - ARGV[at], now_us + ARGV[at + 2])',
        'now_us + wait_us + ARGV[at + 1], now_us + ARGV[at + 2])',
        'penalize(key, 1000) keeps a key out for longer than a second',
      ],
      [
        'a reward is forgotten',
        'store(key, at, tat_us - restored_us, back_us + restored_us, interval_us, mixed)\nend\n\n-- The next',
        'store(key, at, tat_us - restored_us, back_us, interval_us, mixed)\nend\n\n-- The next',
        'what was rewarded is given back once more by receipt',
      ],
      [
        'the script counts only what is cut off as given back',
        'back_us + before_us - now_us, interval_us',
        'back_us + before_us - tat_us, interval_us',
        'where a burst was made smaller, the refund of one charge gives back what was cut off of another',
      ],
      [
        'a larger interval is read as the call’s own',
        'local interval_us = mark + 0 == ARGV[at + 3] + 0 and ARGV[at] + 0 or interval_of(mark)',
        'local interval_us = ARGV[at] + 0',
        'after a change of the rate old units count for another time',
      ],
    ),
  ),
  ...noticedBy(
    { tests: onRedis, named: 'tokenBucket|leakyBucket' },
    inFile(
      'lua/include/bucket.lua',
      [
        'a look begins an empty bucket',
        'if cost > 0 and not looking then',
        'if not looking then',
        'a bucket that starts empty fills from a question about it on',
      ],
      [
        'a clock that steps back drains twice',
        'local drained = math.max(0, elapsed_us) * flow',
        'local drained = elapsed_us * flow',
        'a step back of the server’s clock takes tokens that nobody has used',
      ],
      [
        'a refund goes beyond the charge',
        'restored = math.min(restored, mine_now - (back - mine_back))',
        'restored = math.min(restored, mine_now)',
        'what was given back of a charge is given back again',
      ],
      [
        'a small bucket that starts empty is forgotten too early, in Redis',
        'return math.max(2 * math.ceil(full / flow), 60000000) +',
        'return 2 * math.ceil(full / flow) +',
        'a client that waits in whole seconds finds an empty bucket each time',
      ],
      [
        'a debt does not lengthen the life of a bucket that starts empty',
        ' + math.ceil(math.max(0, used - full) / flow)',
        '',
        'a penalty ends with the life of its bucket',
      ],
      [
        'a count that is set begins empty',
        "if ARGV[at + 3] == '1' then\n    store_bucket(key, at, 0, 0, chosen_at_first(at))\n  end",
        '',
        'a key whose count was set to 0 is refused',
      ],
      [
        'other parts are rounded down, in Redis',
        'used, back = math.ceil(used * parts / stored_parts), 0',
        'used, back = math.floor(used * parts / stored_parts), 0',
        'a new rate gives away a part of a token',
      ],
      [
        'a bucket is as full as a clock was ahead',
        'if not giving and (used > most + slip_us * flow or elapsed_us < -slip_us) then',
        'if not giving and used > most + slip_us * flow then',
        'after a clock was set back a key is refused for hours',
      ],
      [
        'a wait that is long enough is shortened',
        'if used and raised > used then',
        'if used then',
        'a short penalty ends a longer one',
      ],
      [
        'what a reservation stands upon is given back',
        'if held and used > mine_now then',
        'if held and used < mine_now then',
        'two callers are promised one instant',
      ],
    ),
  ),
  ...noticedBy(
    { tests: onRedis, named: 'fixedWindow' },
    inFile(
      'lua/strategies/fixedWindow.lua',
      [
        'a thousand is written in three digits',
        'if end_text and cost > 0 and count < 1000 and not span then',
        'if end_text and cost > 0 and count <= 1000 and not span then',
        'the thousandth unit of a window moves its end',
      ],
      [
        'a refund goes into the next window, in Redis',
        'if charged == receipt then',
        'if charged then',
        'what an earlier window has counted is given back to a later one',
      ],
    ),
  ),
  ...noticedBy(
    { tests: onRedis, named: 'slidingWindowCounter' },
    inFile(
      'lua/strategies/slidingWindowCounter.lua',
      [
        'what fits exactly is refused',
        'rest_us <= math.floor(spare * window_us / previous))',
        'rest_us < math.floor(spare * window_us / previous))',
        'who comes back after the stated wait is refused',
      ],
      [
        'counters that were cut short leave their receipts as they are, in Redis',
        'cut_us = cut_again(cut_us, until_us)\n    if until_us',
        'if until_us',
        'what was charged before other numbers came is given back to a later window that ends at the same instant',
      ],
      [
        'two cuts of a key are the same instant, in Redis',
        'return math.max(until_us, (cut_us or 0) + 1)',
        'return math.max(until_us, cut_us or 0)',
        'what was charged between two changes of the window is given back to a window after the second',
      ],
      [
        'counters forget a cut as soon as the window turns, in Redis',
        'if cut_us and cut_us <= own_us - 2 * window_us then',
        'if true then',
        'what counts on after a change of the window is given back to nobody, or twice',
      ],
      [
        'a window of microseconds is read as milliseconds',
        "local length_us = unit == 'u' and length + 0 or length * 1000",
        'local length_us = length * 1000',
        'windows that are no whole milliseconds end a thousand times later',
      ],
    ),
  ),
  ...noticedBy(
    { tests: onRedis, named: 'multiWindow' },
    inFile(
      'lua/strategies/multiWindow.lua',
      [
        'the first of two equal windows is described',
        'if rest <= left then',
        'if rest < left then',
        'memory and scripts name different limits of one answer',
      ],
      [
        'a refund makes a debt',
        "redis.call('HINCRBY', key, receipt, -math.min(count, units))",
        "redis.call('HINCRBY', key, receipt, -units)",
        'what is given back twice lets more than the limit pass',
      ],
    ),
  ),
  ...noticedBy(
    { tests: onRedis, named: 'attributedWindow' },
    inFile('lua/strategies/attributedWindow.lua', [
      'a window that is made longer keeps its end',
      "elseif running == 'longer' then\n    redis.call('LSET', key, 0, head_of(end_us, span_us))\n",
      'elseif false then\n',
      'what a policy for a longer window has charged is forgotten with the shorter one',
    ]),
  ),
  ...noticedBy(
    { tests: onRedis, named: 'fairShare' },
    inFile(
      'lua/strategies/fairShare.lua',
      [
        'clients of the last window are not deleted',
        "redis.call('HDEL', key, unpack(gone))",
        'local _ = gone',
        'the key grows with each name that ever asked',
      ],
      [
        'the others are counted as a seat',
        "redis.call('HLEN', key) - (others_text and 2 or 1) >= most",
        "redis.call('HLEN', key) - 1 >= most",
        'memory and scripts give the last seat to different clients',
      ],
    ),
  ),
  ...noticedBy(
    { tests: onRedis, named: 'uniform' },
    inFile(
      'lua/strategies/uniform.lua',
      [
        'a gate is shut for as long as it is charged, in Redis',
        'local charged_us = math.min(math.max(opens_us, now_us) + units * ARGV[at], now_us + ARGV[at + 1])',
        'local charged_us = math.max(opens_us, now_us) + units * ARGV[at]',
        'a penalty of many units keeps a key out for longer than maxDebt says',
      ],
      [
        'a penalty shortens',
        'if opens_us and raised_us > opens_us then',
        'if opens_us then',
        'a short penalty opens a gate that was shut for longer',
      ],
    ),
  ),
  ...noticedBy(
    { tests: onRedis, named: 'concurrency' },
    inFile(
      'lua/strategies/concurrency.lua',
      [
        'a lease lives at its end',
        "return tonumber(redis.call('ZSCORE', key, mark .. ':1') or 0) > now_us",
        "return tonumber(redis.call('ZSCORE', key, mark .. ':1') or 0) >= now_us",
        'a place that has ended is renewed although another has it',
      ],
      [
        'the limit is one short in a line',
        'used = used + 1\n    if used > limit then',
        'used = used + 1\n    if used >= limit then',
        'the last place is given to nobody who waits',
      ],
    ),
  ),
  ...noticedBy(
    { tests: onRedis, named: 'block' },
    inFile(
      'lua/include/block_for.lua',
      [
        'a block is shorter than the wait, in Redis',
        'local end_us = now_us + math.max(length_us, wait_us)',
        'local end_us = now_us + length_us',
        'a short block says that a key is free before its window is over',
      ],
      [
        'blocks count for as long as they last',
        'local counted_us = end_us + rule[7]',
        'local counted_us = end_us',
        'forgetAfter is taken for nothing, so that blocks never grow',
      ],
    ),
  ),
  ...noticedBy(
    onRedis,
    inFile(
      'lua/adjust.lua',
      [
        'a charge of the instant of a reset is given back',
        'return since_us and charged_us + 0 <= since_us + 0',
        'return since_us and charged_us + 0 < since_us + 0',
        'what was charged before a reset is given back to the new count',
      ],
      [
        'what is given back repairs the key by the numbers that were charged',
        'giving = true\n',
        '',
        'a window of an hour ends after a minute, since a limit was changed',
      ],
    ),
  ),
  ...noticedBy(
    onRedis,
    inFile('lua/include/entries.lua', [
      'a refund takes the first entries',
      'for number = charged - units + 1, charged do',
      'for number = 1, units do',
      'a second refund of one charge finds nothing',
    ]),
  ),
  ...noticedBy(
    lives,
    inFile(
      'lua/include/expiry.lua',
      [
        'lives are rounded down',
        'local ms = life_us > 1000 and math.ceil(life_us / 1000)',
        'local ms = life_us > 1000 and math.floor(life_us / 1000)',
        'a key is gone up to a millisecond before its state has ended',
      ],
      [
        'a short life is none',
        'local ms = life_us > 1000 and math.ceil(life_us / 1000) or 1',
        'local ms = life_us > 1000 and math.ceil(life_us / 1000) or 0',
        'a life of no millisecond is an error of the server',
      ],
    ),
  ),
  ...noticedBy(
    { tests: onRedis, named: 'gcra|slidingWindowLog' },
    inFile('lua/strategies/gcra.lua', [
      'what was given back shortens a life',
      'local life_us = tat_us + back_us - now_us',
      'local life_us = tat_us - now_us',
      'Redis forgets what was given back while receipts of before still count',
    ]),
    inFile('lua/strategies/slidingWindowLog.lua', [
      'a clock that stepped back shortens a life',
      'local life_us = admitted_us + window_us - now_us',
      'local life_us = window_us',
      'Redis forgets an entry that still counts',
    ]),
  ),
  ...noticedBy(
    ['packages/core/test/redis/dead.redis.test.ts'],
    inFile('lua/strategies/concurrency.lua', [
      'ended leases stay in Redis',
      'if newest_us > 0 then\n    sweep(key)\n  end\n',
      '',
      'a busy key grows by every request that was never released',
    ]),
    inFile('lua/strategies/multiWindow.lua', [
      'dead slots stay in Redis',
      "if #dead > 0 then\n    redis.call('HDEL', key, unpack(dead))\n  end\n",
      '',
      'a busy key grows by a slot each slot',
    ]),
    inFile('lua/strategies/slidingWindowLog.lua', [
      'dead entries stay in Redis',
      "redis.call('ZREMRANGEBYSCORE', key, '-inf', string.format('%.0f', now_us - window_us))",
      '',
      'a busy key grows by every request that it ever had',
    ]),
  ),
  ...noticedBy(
    ['packages/core/test/redis/scripts.redis.test.ts'],
    inFile('lua/strategies/gcra.lua', [
      'a rate is taken for another',
      ' or charged ~= mark then\n        return',
      ' then\n        return',
      'after a change of the rate old units count for another time in lone checks',
    ]),
  ),
  ...noticedBy(
    { tests: constant.tests, named: 'on busy keys' },
    inFile(
      'lua/strategies/gcra.lua',
      [
        'a busy key lives as long as any other',
        "'-' .. text, reset_us + span_us - next_us % span_us",
        "'-' .. text, reset_us",
        'Redis forgets a key whose units were only added, before its debt is over',
      ],
      [
        'units are added beyond the span',
        'busy = tat_us > now_us and tat_us % span_us + units * interval_us < span_us',
        'busy = tat_us > now_us',
        'Redis forgets a client that goes on asking, and admits its burst once more',
      ],
      [
        'units are added to a debt that is over',
        'busy = tat_us > now_us and tat_us % span_us',
        'busy = tat_us % span_us',
        'a key that was idle for a while admits more than its burst',
      ],
    ),
  ),
  ...noticedBy(
    { tests: constant.tests, named: 'many ask at once' },
    inFile('lua/admitMany.lua', [
      'what questions together leave is what each leaves',
      'left_N + before, reset',
      'left_N, reset',
      'the first of many callers at once hears that less remains than does',
    ]),
    inFile('lua/strategies/gcra.lua', [
      'units that are added together are due at one instant',
      ".. '000', interval_us",
      ".. '000', 0",
      'many callers at once hear the same reset, and each refund counts as one of the last charge',
    ]),
  ),
  ...noticedBy(
    constant,
    inFile('lua/strategies/fixedWindow.lua', [
      'a full window admits one more',
      'if not count or count + units > limit then',
      'if not count or count + units > limit + 1 then',
      'a lone check by a policy whose numbers are constants passes beyond the limit',
    ]),
    inFile('lua/include/bucket.lua', [
      'an empty bucket is full',
      "if ARGV[at + 3] == '1' or ARGV[at + 5] == '1' then\n    return\n  end\n  local used",
      "if ARGV[at + 5] == '1' then\n    return\n  end\n  local used",
      'a bucket that starts empty admits the first request',
    ]),
    inFile('lua/strategies/slidingWindowCounter.lua', [
      'what is left of the last window does not count',
      'if spare < 0 or (previous > 0 and rest_us > math.floor(spare * window_us / previous)) then',
      'if spare < 0 then',
      'two limits pass around the end of a window',
    ]),
  ),
]
