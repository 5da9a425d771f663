import { inFile } from '../fault.ts'
import { type GuardedFault, noticedBy } from '../guarded.ts'

const folder = 'packages/core/src/redis'
const test = 'packages/core/test'
const malformed = [`${test}/redis/malformed.test.ts`]
const crowds = ['batches', 'constant-batches', 'crowds'].map((name) => `${test}/redis/${name}.redis.test.ts`)

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: these are pieces of code
/** What goes over the wire, how scripts are sent, and what replies say. */
export const redisFaults: readonly GuardedFault[] = [
  ...noticedBy(
    malformed,
    inFile(
      `${folder}/rows.ts`,
      [
        'a longer reply is read',
        'if (reply.length !== numbersOfOne) throw malformed()',
        'if (reply.length < numbersOfOne) throw malformed()',
        'a reply of another script counts as a decision',
      ],
      [
        'what is left of a reply is not looked at',
        'if (this.#at !== this.#bytes.byteLength || this.#nextText !== this.#reply.length) throw malformed()',
        'if (this.#at !== this.#bytes.byteLength) throw malformed()',
        'receipts of questions may be those of others',
      ],
      [
        'a reservation without a wait is read',
        'if (reserved && said.waitUs < 0) throw malformed()\n',
        '',
        'a caller waits for less than no time',
      ],
    ),
    inFile(`${folder}/manage-calls.ts`, [
      'leases are renewed by fewer answers',
      'if (outcomes.length !== held.length) throw malformed()',
      'if (outcomes.length > held.length) throw malformed()',
      'leases of which nothing was said count as neither held nor lost',
    ]),
  ),
  ...noticedBy(
    [`${test}/cluster/moving.redis.test.ts`],
    inFile(
      `${folder}/clients/ioredis-cluster.ts`,
      [
        'a server without slots is not met',
        'if (asking) client.connectionPool?.findOrCreate?.(placeOf(address))\n    else await',
        'await',
        'while a node is added, each process counts new keys for itself',
      ],
      [
        'a server is looked for by its address in the cluster',
        'const address = reachedAt(client, elsewhere.address)',
        'const { address } = elsewhere',
        'behind a NAT each process counts keys that move for itself',
      ],
    ),
    inFile(`${folder}/clients/node-redis-newcomers.ts`, [
      'a server that holds no slot yet is not told that one is on its way',
      "client.sendCommand(['ASKING'], asTexts)",
      "client.sendCommand(['PING'], asTexts)",
      'while a node is added, each process counts new keys for itself',
    ]),
  ),
  ...noticedBy(
    [`${test}/cluster/send.redis.test.ts`],
    inFile(`${folder}/clients/node-redis-newcomers.ts`, [
      'a connection to a server that was added is kept',
      'if (newcomer.calls === 0) this.#leave(newcomer)',
      '',
      'a second connection to each server that was added, for as long as the store lives',
    ]),
  ),
  ...noticedBy(
    crowds,
    inFile(
      `${folder}/rows.ts`,
      [
        'receipts of a batch do not say when they were made',
        '    this.#serverUs = integerOf(reply[0])\n',
        '',
        'nothing is given back of what questions that went together have charged',
      ],
      [
        'the reset of a short row is an instant',
        'const resetAfterUs = receipt - this.#serverUs',
        'const resetAfterUs = receipt',
        'the fields say that the limit is reset decades from now',
      ],
    ),
    inFile(`${folder}/constant-calls.ts`, [
      'a count that is one more is read as it was',
      '17 : 16)) + more,',
      '17 : 16)),',
      'a counter that is asked alone says that more remains than does',
    ]),
    inFile(
      'lua/admitMany.lua',
      [
        'a summary has no reset',
        'math.max(full_us, reset_us_N)',
        'full_us',
        'the fields of a request with several policies say that all is as good as new',
      ],
      [
        'questions are counted together though each writes at once',
        'while repeated and passed',
        'while passed',
        'where MGET is forbidden, many callers at once count as one',
      ],
    ),
    inFile(`${folder}/decide-calls.ts`, [
      'alike in everything but patience',
      'if (a.checks.length !== b.checks.length || a.maxWaitUs !== b.maxWaitUs) return false',
      'if (a.checks.length !== b.checks.length) return false',
      'who does not wait is held with those who do',
    ]),
    inFile(
      'lua/many/texts.lua',
      [
        'a life is forgotten',
        'lives[key] = life_us or lives[key] or false',
        'lives[key] = life_us or false',
        'a window that is shortened and hit by one call lives as long as before',
      ],
      [
        'units are added at once to a key that comes again',
        '  if not repeated then\n    -- If',
        '  if true then\n    -- If',
        'what a batch puts off is written over what it has added since',
      ],
      [
        'what units were added to is not read again',
        'held[key] = nil\n    redis',
        'redis',
        'a key is looked at as it was before the units that were added',
      ],
    ),
    inFile('lua/decide.lua', [
      'milliseconds are taken for microseconds',
      'now_us > not_after_us + (longer_ms or 0) * 1000',
      'now_us > not_after_us + (longer_ms or 0)',
      'of questions that go together the latest are refused before their deadline',
    ]),
  ),
  ...noticedBy(
    [`${test}/redis/batch.test.ts`, `${test}/redis/batch-queue.test.ts`],
    inFile(`${folder}/server-deadlines.ts`, [
      'deadlines are rounded up',
      'const longerMs = Math.floor((askedUs - firstUs) / 1000)',
      'const longerMs = Math.ceil((askedUs - firstUs) / 1000)',
      'a server takes for a caller who has had another answer',
    ]),
    inFile(`${folder}/batches.ts`, [
      'notes weigh nothing',
      'Math.floor((cost + (note?.length ?? 0)) / 16)',
      'Math.floor(cost / 16)',
      'one call holds up a server for all notes that come together',
    ]),
    inFile(
      `${folder}/batches.ts`,
      [
        'an act overtakes a check that waits',
        'if (this.#waiting.length > 0 && this.#waiting.some(asks)) this.sendAll()',
        '',
        'who is penalized is penalized before what was asked earlier',
      ],
      [
        'a call that has failed is under way for ever',
        '    }\n    over(none, this.#nowUs())\n  }\n',
        '    }\n  }\n',
        'after two failures each question waits two milliseconds for others',
      ],
      [
        'a call that nobody waits for is under way for ever',
        'if (asked.length === 0) {\n      over(none, this.#nowUs())\n',
        'if (asked.length === 0) {\n',
        'after two pauses of the process each question waits two milliseconds for others',
      ],
      [
        'a fast server gets calls of any size',
        'Math.min(mostWork, Math.max(leastWork, Math.floor(longestScriptUs / this.#checkUs)))',
        'Math.max(leastWork, Math.floor(longestScriptUs / this.#checkUs))',
        'a call holds more than the 128 checks that the page says',
      ],
      [
        'calls do not follow what their checks take',
        'if (checkUs > 0) this.#measured(checkUs)\n',
        '',
        'a slow server stands still for longer than half a millisecond',
      ],
      [
        'a busy machine is a slow script',
        'checkUs < this.#checkUs ? checkUs : this.#checkUs + (checkUs - this.#checkUs) / slowness',
        'checkUs',
        'after one pause of the server its calls are the smallest',
      ],
      [
        'all of a turn wait for its end',
        'this.#sent === 0 && asked.askedUs - this.#restsSinceUs >= restUs',
        'false',
        'a server that rests is woken up when all that is asked at once has been put together',
      ],
      [
        'who asks again goes ahead',
        'askedUs - this.#restsSinceUs >= restUs',
        'askedUs >= this.#restsSinceUs',
        'of many who ask again and again one goes alone each time',
      ],
      [
        'the first of a turn counts as a call of many',
        'this.#sendNext(0)',
        'this.#sendNext()',
        'with Redis far away half of those that are asked at once wait two milliseconds',
      ],
      [
        'of an odd number one is left over',
        'Math.ceil((waiting.length + this.#sent) / mostUnderWay)',
        'Math.floor((waiting.length + this.#sent) / mostUnderWay)',
        'the last of many that come together waits for a call of its own',
      ],
    ),
    inFile(`${folder}/decide-calls.ts`, [
      'a check takes as long as its call',
      'checkUs: spentUs / this.keys.length',
      'checkUs: spentUs',
      'no call of many is ever large',
    ]),
    inFile(`${folder}/batches.ts`, [
      'one call takes all',
      'if (count > 0 && (work > most || count === share)) break',
      'if (count > 0 && work > most) break',
      'the second call of two waits while the first one does all the work',
    ]),
  ),
  ...noticedBy(
    [`${test}/redis/calendar.redis.test.ts`],
    inFile(`${folder}/check-arguments.ts`, [
      'the window after next is the next one',
      'args.push(startUs, endUs, calendar.windowAt(endUs).endUs)',
      'args.push(startUs, endUs, endUs)',
      'a server whose clock is ahead over midnight opens no window of its own day',
    ]),
  ),
  ...noticedBy(
    [`${test}/redis/late-lines.redis.test.ts`, `${test}/places/places.redis.test.ts`],
    inFile(`${folder}/manage-calls.ts`, [
      'who has only come leaves at once',
      'return stands ? -2 - waitedUs : waitedUs',
      'return stands ? -1 - waitedUs : waitedUs',
      'a caller whose turn is kept while others are served is taken out of the line',
    ]),
    inFile('lua/line.lua', [
      'who has just come is served for nobody',
      'if ARGV[i] + 0 >= 0 then',
      'if ARGV[i] + 0 > 0 then',
      'a server that hung gives its place to a caller who has just come, and gone',
    ]),
  ),
  ...noticedBy(
    [`${test}/cluster/several-calls.redis.test.ts`],
    inFile(
      `${folder}/by-slot.ts`,
      [
        'a failed slot keeps the others’ charges',
        '} catch (error) {\n      void this.#giveBack(question.checks, rows)',
        '} catch (error) {',
        'a request that fails on one server stays charged on the others',
      ],
      [
        'those asked again are asked too early',
        'if (nth < refusing) await givenBack\n',
        '',
        'a refusal shows its own charge as that of others',
      ],
      [
        'a wait of nobody is said',
        'return rows.map((row) => (row.allowed && row.retryAfterUs !== 0 ? { ...row, retryAfterUs: 0 } : row))',
        'return rows',
        'an allowed request is told to come back later',
      ],
    ),
    inFile(`${folder}/decide-calls.ts`, [
      'a level does not know of the others',
      "return others === undefined ? 'every' : 'each'",
      "return 'every'",
      'on a cluster a refusal says a shorter wait than on one server',
    ]),
  ),
  ...noticedBy(
    [`${test}/cluster/slots.redis.test.ts`],
    inFile(
      `${folder}/slot.ts`,
      [
        'an empty tag is a tag',
        'const tagged = close > open + 1',
        'const tagged = close > open',
        'keys with {} in them are sent to a server that does not have them',
      ],
      [
        'letters of one byte too many',
        'if (code > 0x7f)',
        'if (code > 0xff)',
        'keys with ü in them are sent to a server that does not have them',
      ],
    ),
  ),
  ...noticedBy(
    [`${test}/redis/script-order.redis.test.ts`, `${test}/redis/scripts.redis.test.ts`],
    inFile(`${folder}/connection.ts`, [
      'what was lost with one script is thought to be there',
      'if (known === this.#known) this.forget()\n',
      '',
      'after a SCRIPT FLUSH each script is refused once, and runs behind what was asked after it',
    ]),
  ),
  ...noticedBy(
    [`${test}/redis/ioredis-commands.redis.test.ts`],
    inFile('packages/core/src/redis/client-errors.ts', [
      'a connection that has just ended is an option of the client',
      "if (said.includes('enableOfflineQueue')) said = 'not connected'\n",
      '',
      'the first line of an outage advises what would not help',
    ]),
  ),
  ...noticedBy(
    [`${test}/redis/recent-refusals.test.ts`],
    inFile(
      `${folder}/recent-refusals.ts`,
      [
        'a reset stands still',
        'resetAfterUs: refusal.resetUs - nowUs',
        'resetAfterUs: refusal.row.resetAfterUs',
        'repeated refusals say a reset that does not come nearer',
      ],
      [
        'a wait of nothing is repeated',
        'waitUs <= 0 ||',
        'waitUs < 0 ||',
        'at the very instant at which a key is free it is refused once more',
      ],
      [
        'a clock that was set back lengthens a wait',
        ' || waitUs > refusal.row.retryAfterUs',
        '',
        'a refusal is repeated with a wait that the server never said',
      ],
      [
        'who asks behind a reservation is answered from before it',
        'if (!plain) for (const each of checks) this.#kept.drop(this.#kept.get(each))\n',
        '',
        'a refusal says a wait that a reservation on its way makes longer',
      ],
      [
        'a refusal from before a reservation outlives it',
        "if (check !== undefined && (rows[i]?.receipt ?? '') !== '') this.#forget(check)\n",
        '',
        'after a reservation, other callers get the wait from before it',
      ],
      [
        'one of two changes ends both',
        'if (left > 0) changing.set(check.key, left)\n    else changing',
        'changing',
        'of two refunds the second one is seen late',
      ],
      [
        'refusals by other numbers are repeated',
        'known.policy = undefined\n',
        '',
        'where each call brings its own numbers, a refusal by one set of numbers is repeated to every call',
      ],
      [
        'a block that requests prolong is repeated',
        'return blocking?.prolong !== true',
        'return true',
        'requests during a block do not prolong it',
      ],
      [
        'a limit that blocks is repeated',
        "if (reason !== 'limited' || blocking !== undefined) return false",
        "if (reason !== 'limited') return false",
        'after a look the check that begins the block is not made',
      ],
      [
        'a cost of nothing is refused again',
        '(countsRequests && cost > 0)',
        '(countsRequests && cost >= 0)',
        'who costs nothing is refused where another was',
      ],
      [
        'a look at an unknown bucket is repeated',
        'if (!question.take && partsOf(check.policy).definition.begin !== undefined) return\n',
        '',
        'the check behind it does not begin to fill the bucket',
      ],
      [
        'refusals of several policies are kept as those of one',
        'if (!isPlain(question) || !canRepeat(check, row)) return',
        'if (!canRepeat(check, row)) return',
        'a caller that another policy refused gets the first policy’s refusal',
      ],
      [
        'what is over is repeated until it has gone',
        'if (localUs >= refusal.staleUs || ',
        'if (',
        'while many keys are refused, what another process gives back is seen later than the page says',
      ],
    ),
    inFile(`${folder}/recent-refusals.ts`, [
      'refusals of all keys are kept',
      'if (this.#kept.size >= mostKept) this.#kept.drop(this.#kept.first)\n',
      '',
      'sprayed keys fill the memory',
    ]),
  ),
  ...noticedBy(
    [`${test}/redis/rest.redis.test.ts`, `${test}/redis/secrets.test.ts`],
    inFile(
      `${folder}/clients/rest-front.ts`,
      [
        'the token goes elsewhere',
        "redirect: 'manual'",
        "redirect: 'follow'",
        'a front that is moved hands the token to another host',
      ],
      [
        'an endless answer is read',
        'if (bytes > mostBytes) {',
        'if (false) {',
        'what answers in place of the front fills the memory',
      ],
      [
        'errors show the token',
        'this.#token.length < 8 ? said : said.replaceAll',
        'true ? said : said.replaceAll',
        'a token ends up in logs',
      ],
    ),
  ),
  ...noticedBy(
    [`${test}/key.test.ts`],
    inFile(
      'packages/core/src/key.ts',
      [
        'long lists meet',
        "const text = `${lengths.join()}:${members.slice(from, to).join('')}`",
        "const text = `:${members.slice(from, to).join('')}`",
        'two users share a count where their parts come to one text',
      ],
      [
        'a client chooses a long name',
        'return name.length <= longest ? name : hashed([text], 0, 1)',
        'return name',
        'a key of signs that are escaped is three times as long as any other',
      ],
      [
        'an empty tag is none',
        "joinMembers(key, 0, tag) || '%'",
        'joinMembers(key, 0, tag)',
        'keys of an empty first name are spread over all servers',
      ],
    ),
  ),
  ...noticedBy(
    [`${test}/units.test.ts`],
    inFile(
      'packages/core/src/units.ts',
      [
        'waits are rounded to the nearest millisecond',
        'return Math.ceil(us / 1000)',
        'return Math.round(us / 1000)',
        'who waits as long as it was told is refused',
      ],
      [
        'fractions of a microsecond are times',
        'Math.abs(us - nearest) < 1e-3 ? nearest : undefined',
        'Math.abs(us - nearest) < 1 ? nearest : undefined',
        'a window of 1.0004 ms is silently another one',
      ],
    ),
  ),
  ...noticedBy(
    [`${test}/redis/forbidden.redis.test.ts`],
    inFile('packages/core/src/resilience/guarded-store.ts', [
      'what Redis forbids is forgotten with the next answer',
      'failing || forbids',
      'failing',
      'health says ok while a limiter counts nothing in Redis',
    ]),
  ),
  ...noticedBy(
    [`${test}/redis/own-troubles.redis.test.ts`],
    inFile(
      `${folder}/clients/ioredis-lifecycle.ts`,
      [
        'a database that is not there is not missed',
        "client?.status === 'ready' && this.#fits(client)",
        "client?.status === 'ready'",
        'a wrong number of a database counts in that of others',
      ],
      [
        'only a client of the global Promise is awaited',
        '!isLater(client)',
        '!(client instanceof Promise)',
        'beside zone.js each process counts alone',
      ],
    ),
  ),
  ...noticedBy(
    [`${test}/redis/own-receipts.redis.test.ts`],
    inFile('packages/core/src/strategies/policy-parts.ts', [
      'a receipt that begins as a mark does loses its beginning',
      'if (receipt === null || partsOf(policy).tellsCounts) return undefined',
      'if (receipt === null) return undefined',
      'a strategy of somebody else gives nothing back in Redis',
    ]),
  ),
]
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: these are pieces of code
