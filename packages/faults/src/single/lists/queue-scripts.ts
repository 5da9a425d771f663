import { inFile } from '../fault.ts'
import { type GuardedFault, noticedBy } from '../guarded.ts'

const folder = 'lua/queue'
const test = 'packages/queue/test'
const of = (...names: readonly string[]) => names.map((name) => `${test}/stream/${name}.redis.test.ts`)
const list = [`${test}/list/list.redis.test.ts`, `${test}/list/suite.redis.test.ts`]

/** How queues in Redis take jobs, hand them out and end them. */
export const queueScriptFaults: readonly GuardedFault[] = [
  ...noticedBy(
    [`${test}/forbidden.redis.test.ts`],
    inFile(`${folder}/offer.lua`, [
      'a job without a ticket is kept',
      "  redis.call('HSET', tickets, '', '')\n",
      '  local _ = tickets\n',
      'a job runs although its offer was refused',
    ]),
  ),
  ...noticedBy(
    of('offer'),
    inFile(
      `${folder}/offer.lua`,
      [
        'a stream takes one job more',
        'if length >= limit then',
        'if length > limit then',
        'a queue of a hundred holds a hundred and one',
      ],
      [
        'a job without a number is the first one',
        'if count > 1 or length == 0 then',
        'if count > 0 then',
        'once the number is lost a job is before those that have waited for longer',
      ],
      [
        'nobody knows since when there is work',
        "if length == 0 then\n  redis.call('HSET', measure, 'since', string.format('%.0f', now_us))\nelse\n",
        'if length > 0 then\n',
        'after a quiet night callers are sent away for hours, in Redis',
      ],
    ),
  ),
  ...noticedBy(
    [`${test}/outage/faults.redis.test.ts`],
    inFile(`${folder}/offer.lua`, [
      'a stream takes what was refused at its deadline',
      "if ARGV[1] ~= '0' and now_us > ARGV[1] + 0 then",
      'if false then',
      'a server that hung runs jobs of callers that were sent away',
    ]),
    inFile(`${folder}/listOffer.lua`, [
      'a list takes what was refused at its deadline',
      "if ARGV[1] ~= '0' and now_us > ARGV[1] + 0 then",
      'if false then',
      'a server that hung runs jobs of callers that were sent away',
    ]),
  ),
  ...noticedBy(
    of('suite', 'member', 'claim'),
    inFile(
      `${folder}/finish.lua`,
      [
        'an attempt ends the next one of its member',
        'if holder ~= me or count ~= attempt + 0 then',
        'if holder ~= me then',
        'work that comes back late ends a job that runs once more',
      ],
      [
        'a job that is done stays in its stream',
        "redis.call('XDEL', entries, id)\n",
        '',
        'a queue is full of what was done long ago',
      ],
      [
        'dead letters have no bound',
        "'MAXLEN', '=', ARGV[10], '*'",
        "'*'",
        'failures fill the server’s memory',
      ],
      [
        'what is done counts as dead',
        "state == 'done' and 'done' or 'dead'",
        "state == 'failed' and 'done' or 'dead'",
        'an alert rings for work that was done',
      ],
      [
        'another attempt is due at once',
        "0, id, 'IDLE', ARGV[8], 'JUSTID')",
        "0, id, 'IDLE', 1e9, 'JUSTID')",
        'a job that fails uses its attempts up in a moment',
      ],
      [
        'putting a job back is an attempt',
        "'IDLE', ARGV[8], 'JUSTID')",
        "'IDLE', ARGV[8])",
        'a job gets half of its attempts',
      ],
    ),
    inFile(`${folder}/renew.lua`, [
      'an attempt that was lost is renewed',
      'if holder == me and count == ARGV[i + 1] + 0 then',
      'if holder == me then',
      'two runs of one job go on in one process',
    ]),
    inFile(`${folder}/health.lua`, [
      'what waits for another attempt runs',
      "if consumer[1] == 'retry' then",
      "if consumer[1] ~= 'retry' then",
      'a queue whose jobs all wait is shown as working',
    ]),
  ),
  ...noticedBy(
    of('status', 'hands'),
    inFile(`${folder}/finish.lua`, [
      'the ticket of a job that is done stays',
      "redis.call('HDEL', tickets, ticket)\n",
      '',
      'the table of tickets grows with every job',
    ]),
  ),
  ...noticedBy(
    of('measure'),
    inFile(`${folder}/finish.lua`, [
      'work always waits',
      "redis.call('XLEN', entries) > progress_of(entries)",
      'true',
      'idle time counts as the pace of a queue, and callers are sent away for too long',
    ]),
  ),
  ...noticedBy(
    of('claim', 'stop'),
    inFile(
      `${folder}/leave.lua`,
      [
        'what never ran has used an attempt, in Redis',
        'local used = unused[id] and count - 1 or count',
        'local used = count',
        'each stop of a processor costs jobs an attempt, in Redis',
      ],
      [
        'what a member gives back waits',
        "'IDLE', idle_ms, 'RETRYCOUNT'",
        "'IDLE', 0, 'RETRYCOUNT'",
        'at each stop jobs stand still for idleClaim',
      ],
      [
        'what still runs is given back',
        'if stays[id] then',
        'if false then',
        'work that goes on after a stop is begun by another at once',
      ],
      [
        'a member leaves with its jobs',
        'if is_empty then',
        'if true then',
        'what still runs after a stop is read by nobody again',
      ],
      [
        'the name of a member stays',
        "of_group('XGROUP', 'DELCONSUMER', entries, 'g', me)\n",
        '',
        'the group grows by a name with each start',
      ],
      [
        'a member gives back a thousand jobs',
        'until #page < 1000',
        'until true',
        'of more jobs the rest is read by nobody for a minute',
      ],
    ),
  ),
  ...noticedBy(
    of('member', 'claim'),
    inFile(`${folder}/renew.lua`, [
      'a renewal changes nothing',
      "redis.call('XCLAIM', entries, 'g', me, 0, id, 'JUSTID')\n",
      '',
      'long work is handed to another processor while it runs, in Redis',
    ]),
    inFile(
      `${folder}/start.lua`,
      [
        'a last attempt that is begun again is two',
        'if count == attempt then\n  return 1\nend\n',
        '',
        'a reply that is lost makes a last attempt fail before it has run',
      ],
      [
        'a last attempt is begun by whoever asks',
        'if holder ~= me or count < attempt - 1 or count > attempt then',
        'if count < attempt - 1 or count > attempt then',
        'two processors run the last attempt of a job',
      ],
    ),
    inFile(
      `${folder}/take.lua`,
      [
        'the last attempt is spent',
        'if attempt > most then',
        'if attempt >= most then',
        'a job gets an attempt less than was set',
      ],
      [
        'a last attempt runs beside others',
        'elseif attempt == most then',
        'elseif false then',
        'a job that kills its process takes others along',
      ],
      [
        'a member has two last attempts',
        'if not holds then\n      holds = true',
        'if true then\n      holds = true',
        'a job that could run waits for one that kills its process',
      ],
      [
        'new jobs come with a last attempt',
        'if holds or #handed >= room then',
        'if #handed >= room then',
        'jobs wait, and lose an attempt, behind one that kills its process',
      ],
      [
        'what was left takes no room',
        "'COUNT', room - #handed, 'STREAMS'",
        "'COUNT', room, 'STREAMS'",
        'after a crash a processor runs more jobs at once than its concurrency',
      ],
    ),
  ),
  ...noticedBy(
    of('hands', 'processor'),
    inFile(
      `${folder}/take.lua`,
      [
        'a group begins with what comes next',
        "redis.call('XGROUP', 'CREATE', entries, 'g', '0', 'MKSTREAM')",
        "redis.call('XGROUP', 'CREATE', entries, 'g', '$', 'MKSTREAM')",
        'jobs that were accepted before the first processor came are never run',
      ],
      [
        'a job that somebody has deleted is handed out',
        "if not entry then\n    return redis.call('XACK', entries, 'g', id)\n  end\n",
        '',
        'a deletion by hand makes processors fail',
      ],
    ),
  ),
  ...noticedBy(
    of('status'),
    inFile(
      `${folder}/status.lua`,
      [
        'what runs is not in the line',
        'math.min(behind + handed_out, redis',
        'math.min(behind, redis',
        'a ticket says a shorter wait than there is',
      ],
      [
        'a job that waits for another attempt runs, by its ticket',
        "if holder == 'retry' then",
        "if holder == '' then",
        'a client is told that its job runs while it waits',
      ],
    ),
  ),
  ...noticedBy(
    of('hands'),
    inFile(
      `${folder}/status.lua`,
      [
        'a job that was taken out of the group is unknown',
        "if redis.call('XRANGE', entries, id, id)[1] then\n    return waiting(1)\n  end\n",
        '',
        'a client is told that its ticket is unknown, and its job runs later',
      ],
      [
        'the ticket of a job that was deleted stays',
        "redis.call('HDEL', tickets, ticket)\n",
        '',
        'the table of tickets grows with what is deleted by hand',
      ],
      [
        'a position is behind the last job',
        "math.min(behind + handed_out, redis.call('XLEN', entries))",
        'behind + handed_out',
        'after jobs were deleted by hand a ticket says a longer line than there is',
      ],
    ),
    inFile(
      `${folder}/tidy.lua`,
      [
        'names with jobs go',
        'if facts.pending == 0 and facts.idle',
        'if facts.idle',
        'jobs of a member that stood still for an hour are read by nobody again',
      ],
      [
        'what was taken out of the group stays so',
        "if redis.call('XLEN', entries) - handed_out - unread <= 0 then",
        'if true then',
        'jobs are never run, and count in the bound for ever',
      ],
      [
        'what was taken out of the group has used an attempt',
        "'RETRYCOUNT', 0, 'FORCE', 'JUSTID'",
        "'RETRYCOUNT', 1, 'FORCE', 'JUSTID'",
        'a job that never ran is a dead letter one attempt early',
      ],
      [
        'a hundred jobs are put back into the group',
        'until #page < 100\n',
        'until true\n',
        'the rest waits for a minute',
      ],
    ),
  ),
  ...noticedBy(
    list,
    inFile(
      `${folder}/listOffer.lua`,
      [
        'a list takes one job more',
        'if length >= limit then',
        'if length > limit then',
        'a list of a hundred holds a hundred and one',
      ],
      [
        'the last comes first, in a list',
        "redis.pcall('LPUSH', entries, arrival",
        "redis.pcall('RPUSH', entries, arrival",
        'under load the jobs that came first are never run',
      ],
      [
        'nobody knows since when there is work in a list',
        "if length == 0 then\n  redis.call('HSET', measure, 'since', string.format('%.0f', now_us))\nend\n",
        '',
        'after a quiet night callers of a list are sent away for hours',
      ],
    ),
    inFile(`${folder}/listReturn.lua`, [
      'what is given back to a list comes last',
      "'RPUSH'",
      "'LPUSH'",
      'each stop of a processor sends the oldest jobs to the end',
    ]),
    inFile('packages/queue/src/list-member.ts', [
      'a job that was not given back is lost in silence',
      "this.#lost(ticket, 'it had not begun, and giving it back failed')",
      'void ticket',
      'a stop while Redis is full or gone loses jobs that nobody hears of',
    ]),
    inFile(
      `${folder}/listPop.lua`,
      [
        'what a blocking read has taken is not measured',
        'for i = before + count, 1, -1 do',
        'for i = count, 1, -1 do',
        'a list that keeps up is measured as one that stands still',
      ],
      [
        'work waits only behind the last of those taken together',
        'measure_finish(measure, i > 1 or waiting > count, nil)',
        'measure_finish(measure, waiting > count, nil)',
        'a list that is emptied in batches has no pace',
      ],
    ),
    inFile(`${folder}/listStatus.lua`, [
      'a position is counted from the end',
      "local position = ARGV[1] - ((redis.call('GET', KEYS[2]) or 0) - waiting)",
      "local position = (redis.call('GET', KEYS[2]) or 0) - ARGV[1] + 1",
      'the next in a list is told that it is the last',
    ]),
    inFile(`${folder}/listHealth.lua`, [
      'the age of a list is that of its newest',
      "redis.call('LINDEX', KEYS[1], -1)",
      "redis.call('LINDEX', KEYS[1], 0)",
      'no alert rings while jobs stand still',
    ]),
  ),
  ...noticedBy(
    [`${test}/outage/hangs.redis.test.ts`],
    inFile(`${folder}/listPop.lua`, [
      'jobs are taken for a processor that no longer waits',
      'if now_us > ARGV[1] + 0 then',
      'if false then',
      'a list loses jobs when Redis has hung for some seconds',
    ]),
    inFile(`${folder}/take.lua`, [
      'entries are handed to a processor that no longer waits',
      'if now_us > ARGV[1] + 0 then',
      'if false then',
      'jobs wait for half a minute when Redis has hung for some seconds',
    ]),
  ),
]
