import { inFile } from '../fault.ts'
import { type GuardedFault, noticedBy } from '../guarded.ts'

const operations = 'packages/operations'
const cli = 'packages/cli'
const published = [
  `${operations}/test/described.test.ts`,
  `${operations}/test/operations.redis.test.ts`,
  `${operations}/test/lists.redis.test.ts`,
]
const changed = [
  `${operations}/test/limits.redis.test.ts`,
  'packages/core/test/limiter/changing.test.ts',
  'packages/core/test/ahead/changing.test.ts',
]
const compare = `${cli}/test/compare`

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: these are pieces of code
/** What processes tell of their limits, and the command line. */
export const operationsFaults: readonly GuardedFault[] = [
  ...noticedBy(
    changed,
    inFile(
      `${operations}/src/limits/limit.ts`,
      [
        'a change never ends',
        'if (nowUs < this.#endsAtUs) return false',
        'return false',
        'what was lowered for two hours stays so',
      ],
      [
        'a change that makes no sense restores the limit',
        'this.#problem = error.message\n',
        'this.#restore()\n',
        'options of a later version undo what is in force',
      ],
      [
        'a second change is heard as the first one',
        'isOther = this.#options !== options',
        "isOther = this.#options === ''",
        'the later of two writers loses',
      ],
    ),
    inFile('packages/core/src/decision/lane.ts', [
      'a call counts by what the policy was made of',
      'const current = partsOf(asked).changing?.now ?? asked',
      'const current = asked',
      'a changed limit is shown and not in force',
    ]),
    inFile('packages/core/src/limiter/policy-questions.ts', [
      'a limit that can be changed is asked on the fast path',
      'changing === undefined && scale === 1',
      'scale === 1',
      'a changed limit is not in force where a limiter has one policy',
    ]),
    inFile('packages/core/src/strategies/policy-parts.ts', [
      'a policy of which units are taken ahead does not change',
      'withNumbers(policy, numbers, { stated, changing })',
      'withNumbers(policy, numbers, { stated, changing: undefined })',
      'a hot limit cannot be lowered',
    ]),
  ),
  ...noticedBy(
    published,
    inFile(
      `${operations}/src/seen.ts`,
      [
        'looks are counted',
        "if (operation === 'peek') return\n",
        '',
        'a dashboard that looks at keys shows requests that nobody has sent',
      ],
      [
        'a limit of one is always near',
        'limit !== 1 && used >= limit * nearFrom',
        'used >= limit * nearFrom',
        'every caller of a gate is shown as near its limit',
      ],
      [
        'a shadow policy refuses',
        'if (!allowed && !check.shadow) this.#policy(limiter, verdict.policy).refuse(verdict)',
        'if (!allowed) this.#policy(limiter, verdict.policy).refuse(verdict)',
        'a limit that is only tried out is shown as refusing',
      ],
      [
        'what was near once is near for ever',
        'if (span > this.#span - spans) break',
        'break',
        'keys that are well are shown as near their limit',
      ],
    ),
    inFile(`${operations}/src/top-keys.ts`, [
      'a new key has the count of the one before',
      'count: count - before',
      'count',
      'a key that was refused once is shown as refused most',
    ]),
    inFile(`${operations}/src/shown-key.ts`, [
      'a cut key looks whole',
      'cut = true\n    return Buffer',
      'return Buffer',
      'who blocks a shown key blocks another one',
    ]),
    inFile(`${operations}/src/operations.ts`, [
      'a process hears its own acts',
      'if (act === undefined || act.from === this.#id) return',
      'if (act === undefined) return',
      'observers are told twice what was done here',
    ]),
    inFile(
      'lua/operations/enlist.lua',
      [
        'the same entry counts twice',
        "count = count + 1 - redis.call('HEXISTS', lists, ARGV[i])",
        'count = count + 1',
        'full lists take no new end for an entry that is there',
      ],
      [
        'ended entries stay',
        "redis.call('HDEL', lists, stored[i])\n",
        '',
        'the lists fill up with what has ended',
      ],
    ),
    inFile('lua/operations/publish.lua', [
      'processes that have gone are shown',
      "redis.call('ZREMRANGEBYSCORE', services, '-inf', string.format('%.0f', now_ms - life_ms))\n",
      '',
      'the list of processes grows with every start',
    ]),
    inFile(`${operations}/src/lists/entry.ts`, [
      'an entry of milliseconds is one of microseconds',
      'endsAtUs: nowUs + stored.endsInMs * 1000',
      'endsAtUs: nowUs + stored.endsInMs',
      'a denial for a day ends in a minute and a half',
    ]),
    inFile(
      `${operations}/src/lists/lists-server.ts`,
      [
        'what was not there is reported as removed',
        'if (removed) await this.#tell',
        'await this.#tell',
        'the log shows removals that nobody has made',
      ],
      [
        'a block is reported as a denial',
        "block: 'refuse'",
        "block: 'deny'",
        'the log shows a client as denied that may come again in an hour',
      ],
      [
        'entries that have ended are shown',
        'return entries.filter(({ endsInMs }) => endsInMs > 0)',
        'return entries',
        'sluice lists shows clients as denied that pass',
      ],
    ),
    inFile(`${operations}/src/lists/redis-lists.ts`, [
      'lists are gone with Redis',
      'if (entries === undefined) return\n      this.#table = listsOf(entries)',
      'this.#table = listsOf(entries ?? [])',
      'denied clients pass once a look finds nothing new',
    ]),
  ),
  ...noticedBy(
    [`${operations}/test/polling.test.ts`],
    inFile(
      `${operations}/src/polling.ts`,
      [
        'a change is looked for by a look that is older',
        'await this.#underWay\n    await this.once()',
        'await this.once()',
        'who was denied passes once more in the process that has done it',
      ],
      [
        'a look goes on when all is closed',
        'clearInterval(this.#timer)\n',
        '',
        'each limiter that was closed keeps a timer',
      ],
    ),
    inFile(`${operations}/src/lists/redis-lists.ts`, [
      'lists are read whole each time',
      'this.#version = version\n',
      '',
      'ten thousand entries are sent to each process twice a second',
    ]),
  ),
  ...noticedBy(
    [`${operations}/test/outage/away.redis.test.ts`],
    inFile(
      `${operations}/src/operations.ts`,
      [
        'acts are lost while Redis is away',
        'await this.#server.addAct(text)\n      this.#waiting.shift()',
        'this.#waiting.shift()\n      await this.#server.addAct(text)',
        'a block during an outage is in no log',
      ],
      [
        'what was described before is there',
        "this.#described = missing ? '' : description || this.#described",
        'this.#described = description || this.#described',
        'after Redis has lost its data a process is not shown',
      ],
    ),
  ),
  ...noticedBy(
    [
      `${cli}/test/live/keys.test.ts`,
      `${cli}/test/live/top-lines.test.ts`,
      `${cli}/test/live/times.test.ts`,
      `${cli}/test/terminal.test.ts`,
      `${cli}/test/live/inspect.redis.test.ts`,
      `${cli}/test/live/lists.redis.test.ts`,
      `${cli}/test/live/commands.redis.test.ts`,
    ],
    inFile(
      `${cli}/src/live/top-lines.ts`,
      [
        'rates are those of one span',
        'sum.refused += (seen.refused * 1000) / overMs',
        'sum.refused += seen.refused',
        'sluice top shows the requests of five seconds as those of one',
      ],
      [
        'a key of several processes is that of the last',
        'if (known === undefined || shareOf(near) > shareOf(known))',
        'if (near !== known)',
        'a key that is full in one process is shown as half empty',
      ],
    ),
    inFile(`${cli}/src/live/times.ts`, [
      'a wait is rounded down, on the terminal',
      'const minutes = Math.ceil(seconds / 60)',
      'const minutes = Math.floor(seconds / 60)',
      'who waits as long as inspect says is refused',
    ]),
    inFile(
      `${cli}/src/live/inspect.ts`,
      [
        'a ban is a refusal',
        "const what = banned ? 'banned' : blockedMs",
        'const what = blockedMs',
        'nobody sees that only unblock helps',
      ],
      [
        'a key beyond its limit has used less than nothing',
        'amountText(Math.max(0, seen.limit - seen.remaining))',
        'amountText(seen.remaining)',
        'what is left is shown as what is used',
      ],
    ),
    inFile(`${cli}/src/live/keys.ts`, [
      'an address is not cut, on the command line',
      'return isIP(text) === 0 ? text : networkOf(text)',
      'return text',
      'sluice block of an IPv6 client blocks nobody',
    ]),
    inFile(`${cli}/src/live/lists.ts`, [
      'a network of a whole provider is not asked about',
      "first.includes(':') ? 24 : 8",
      "first.includes(':') ? 0 : 0",
      'a slip of the finger denies millions of clients',
    ]),
  ),
  ...noticedBy(
    [
      `${compare}/replay/fullest.test.ts`,
      `${compare}/replay/timeline.test.ts`,
      `${compare}/replay/replay.test.ts`,
      `${compare}/log/time.test.ts`,
      `${compare}/log/order.test.ts`,
      `${compare}/scaled.test.ts`,
      `${compare}/suggest/parts.test.ts`,
      `${compare}/suggest/suggest.test.ts`,
    ],
    inFile(`${cli}/src/compare/replay/fullest.ts`, [
      'a span has both its ends',
      '<= atUs - this.#spanUs) this.#dropOldest()',
      '< atUs - this.#spanUs) this.#dropOldest()',
      'a busiest minute has sixty seconds and an instant',
    ]),
    inFile(`${cli}/src/compare/replay/timeline.ts`, [
      'one step too many',
      'while (this.#stepOf(atUs) >= this.#most)',
      'while (this.#stepOf(atUs) > this.#most)',
      'a page draws more steps than it has room for',
    ]),
    inFile(
      `${cli}/src/compare/log/time.ts`,
      [
        'half hours of zones go the other way',
        'Number(`${hours[0]}${minutes}`)',
        'Number(minutes)',
        'lines of -03:30 are an hour off',
      ],
      [
        'nanoseconds are microseconds',
        'return value < 1e17 ? value : value / 1e3',
        'return value',
        'a log in nanoseconds is one of the year 50,000',
      ],
    ),
    inFile(`${cli}/src/compare/well-behaved.ts`, [
      'the last calm client is an outsider',
      'this.#busiest.of(client) <= busiestMinute',
      'this.#busiest.of(client) < busiestMinute',
      'a policy that refuses good clients is suggested',
    ]),
    inFile(`${cli}/src/compare/scaled.ts`, [
      'a burst is scaled without its first unit',
      "const first = option.scales === 'extra' ? 1 : 0",
      'const first = 0',
      'half of a burst of one is none',
    ]),
    inFile(`${cli}/src/compare/suggest/least.ts`, [
      'the suggestion is one too high',
      'while (passing - failing > 1)',
      'while (passing - failing > 2)',
      'a suggested limit is not the tightest',
    ]),
    inFile(`${cli}/src/compare/replay/trial.ts`, [
      'forgotten keys are not said',
      'this.#full ||= this.#opened.keys() >= maxKeys',
      'this.#full = false',
      'a comparison admits too much, and does not say so',
    ]),
  ),
  ...noticedBy(
    [
      `${cli}/test/crowd/most-within.test.ts`,
      `${cli}/test/crowd/fairness.test.ts`,
      `${cli}/test/crowd/tally.test.ts`,
    ],
    inFile(`${cli}/src/crowd/most-within.ts`, [
      'a window has both its ends',
      '(opens[opened] ?? close) < close',
      '(opens[opened] ?? close) <= close',
      'a crowd reports more than a limit allows',
    ]),
    inFile(`${cli}/src/crowd/tally.ts`, [
      'silence is that of all',
      "this.silent = answer.kind === 'none' ? this.silent + 1 : 0",
      "this.silent += answer.kind === 'none' ? 1 : 0",
      'a long crowd is broken off for a few lost answers',
    ]),
  ),
]
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: these are pieces of code
