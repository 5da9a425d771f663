import { inFile as inPackage, type SingleFault } from '@sluice/faults/single'
import { callerFaults } from './callers.ts'
import { queueFaults } from './queues.ts'

/** A file of core. */
function inFile(file: string, ...faults: Parameters<typeof inPackage>[1][]): readonly SingleFault[] {
  return inPackage(`core/src/${file}`, ...faults)
}

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: these are pieces of code
/** In files below packages. */
export const singleFaults: readonly SingleFault[] = [
  ...inFile(
    'resilience/guarded-store.ts',
    [
      'late charges stay',
      'const changes = givingBack(question.checks, answer)',
      'const changes = givingBack(question.checks, [])',
      'what a late reply took is not given back',
    ],
    [
      'late replies are not reported',
      "this.#report({ kind: 'late', sinceMs: this.#breaker.sinceMs })",
      '',
      'observers hear nothing of late replies',
    ],
    ['late replies are not counted', 'this.#lateReplies++\n', '', 'health counts no late replies'],
    [
      'an open circuit is asked',
      'return this.#closed || this.#breaker.spares()',
      'return this.#closed',
      'requests wait for a store that is known to be away',
    ],
    [
      'each question has a new deadline',
      'request?.expiresAt ?? this.#deadlines.expiresAt(askedAt)',
      'this.#deadlines.expiresAt(askedAt)',
      'a request that asks twice waits twice',
    ],
    [
      'objected charges stay',
      'if (late.back.length > 0) this.#ignore(this.#inner.adjust(late.back))',
      '',
      'what the store took in vain is not given back',
    ],
    [
      'a lost connection is nothing',
      'lost: () => this.#mirror.noticeOutage(),',
      'lost: () => {},',
      'a server that comes back empty gives everything anew',
    ],
    [
      'own refunds are lost',
      'if (local.length > 0) this.#mirror.adjustOwn(local)',
      '',
      'what was taken here is not given back here',
    ],
    [
      'corrections stay here',
      'if (!this.#breaker.open) await this.#bounded(Promise.resolve(this.#inner.adjust(remote)))',
      '',
      'the store never hears of a refund or a release',
    ],
    [
      'the mirror hears no corrections',
      'for (const change of remote) this.#mirror.correct(change)',
      '',
      'places that were released count on in an outage',
    ],
    [
      'leases are not renewed',
      'outcomes = await this.#bounded(Promise.resolve(this.#inner.renew(known)))',
      'outcomes = here',
      'places lapse while their work goes on',
    ],
    [
      'the mirror knows no blocks',
      "if (command.op !== 'inspect') this.#mirror.manage(command)",
      '',
      'a key that was blocked here passes in an outage',
    ],
    ['failures are not counted', 'this.#failures++\n', '', 'health says that nothing has failed'],
    [
      'fallback decisions are not counted',
      'answerWithout(question: Question): StoreRows {\n    this.#fallbackDecisions++',
      'answerWithout(question: Question): StoreRows {',
      'health hides what was decided without the store',
    ],
    [
      'health is always well',
      "status: open ? 'down' : failing ? 'degraded' : 'ok',",
      "status: failing && !open ? 'degraded' : 'ok',",
      'health says ok while the circuit is open',
    ],
    [
      'success is not heard',
      'if (!this.#writesFail && (put.asked.take || this.apart)) this.#breaker.succeeded()\n',
      '',
      'failures that are far apart open the circuit',
    ],
    [
      'a refusal is a success where writes fail',
      'if (!this.#writesFail && (put',
      'if (true && (put',
      'each admitted request is put to a server that takes no writes, as refusals keep the circuit closed',
    ],
    [
      'a probe that cannot write says nothing of writes',
      'this.#mirror.noticeOutage()\n      this.#writesFail ||= isWriteRefusal(error)\n',
      'this.#mirror.noticeOutage()\n',
      'refusals keep the circuit closed to a server that takes no writes',
    ],
    [
      'a closed connection hides that writes fail',
      'this.#writesFail ||= isWriteRefusal(error)\n    this.#breaker',
      'this.#writesFail = isWriteRefusal(error)\n    this.#breaker',
      'a replica is asked longer, as the client closes the connection to it',
    ],
    [
      'an outage is not noticed',
      'this.#fallbackDecisions++\n    this.#alone(question.checks)\n',
      'this.#fallbackDecisions++\n',
      'after an outage the store decides alone, though it may have lost everything',
    ],
    [
      'first callers do not wait',
      'if (this.#firstConnection.waits(true)) {\n      void this.#putFirst',
      'if (false) {\n      void this.#putFirst',
      'processes that ask from their first moment on count alone',
    ],
    [
      'first callers wait on',
      'const longestMs = apart ? 0 : firstMs - ms',
      'const longestMs = apart ? 0 : 2 * firstMs',
      'before its first answer a store is waited for longer than it may be',
    ],
    [
      'admitted meanwhile, admitted again',
      'const late = objectedAfter(question, answer, this.#mirror)',
      'const late = objectedAfter({ ...question, checks: [] }, answer, this.#mirror)',
      'who waits while others are answered without the store passes beside them',
    ],
    [
      'a probe only looks at the time',
      'inner.probe === undefined ? inner.ready?.() : inner.probe()',
      'inner.ready?.()',
      'a server that cannot write is said to be well',
    ],
    [
      'who leaves in an outage is not heard',
      'if (began) void this.#leaveLine(callers)\n',
      '',
      'a place goes to somebody who has left',
    ],
    [
      'only who leaves is told to a store that hung',
      "leaves || check.onStoreFailure !== 'local'",
      'leaves',
      'a place goes to somebody who was refused, as the store hung',
    ],
  ),
  ...inFile(
    'resilience/breaker.ts',
    [
      'one failure opens',
      'const roundsToOpen = 3',
      'const roundsToOpen = 1',
      'one slow moment opens the circuit',
    ],
    [
      'no silence is needed',
      'const silenceMs = 100',
      'const silenceMs = 0',
      'three quick failures open the circuit',
    ],
    [
      'probes are rare',
      'const probeEveryMs = 500',
      'const probeEveryMs = 8000',
      'recovery takes longer than five seconds',
    ],
    [
      'no probe follows a failure',
      'if (this.#probe !== undefined) this.#timer ??= this.#schedule()\n    else if',
      'if',
      'the circuit stays open for ever',
    ],
    [
      'a burst is many rounds',
      'if (askedAt <= this.#countedAt) return\n',
      '',
      'requests that fail together open the circuit',
    ],
    [
      'a probe closes nothing',
      'this.#open = false\n      this.#probing = false\n      if (this.#outage && isSure)',
      'this.#probing = false\n      if (this.#outage && isSure)',
      'a probe that is answered does not close the circuit',
    ],
    [
      'recovery is not reported',
      "this.#outage = false\n    this.#change({ kind: 'recovered' })",
      'this.#outage = false',
      'observers never hear of a recovery',
    ],
  ),
  ...inFile(
    'resilience/mirror.ts',
    [
      'refusals are not kept',
      'if (!row.allowed) this.#keepRefusal(question, { check, row, nowUs, moment })\n      else if',
      'if',
      'a key that was used up passes in an outage',
    ],
    [
      'charges are not kept',
      'else this.#charges.add(check, check.cost, nowUs)',
      '',
      'each process begins an outage with full limits',
    ],
    [
      'debts in parts are forgotten',
      'Math.max(1, ofUnits / partsOf(share.policy).units)',
      'Math.max(1, change.byUnits / partsOf(share.policy).units)',
      'what was reserved one by one is remembered no longer than one of them',
    ],
    [
      'places are not kept',
      'if (inFlight) this.#adjust({ check, receipt, byUnits: check.cost })\n    else if',
      'if',
      'an outage gives all places once more',
    ],
    [
      'nothing is held against a key',
      'return !isOver || this.#unsynced.holds(check, nowUs)',
      'return false',
      'after an outage a server that is empty gives everything anew',
    ],
    [
      'a share is kept after an outage',
      'return (whole ?? this.#memory).answer(question)[0]',
      'return this.#ask(question)[0]',
      'a process holds every key to its share until a window is over',
    ],
    [
      'stated waits are forgotten',
      'const waitUs = Math.max(row.waitUs, this.#refusals.waitUsFor(check, nowUs))',
      'const { waitUs } = row',
      'callers pass in an outage before the store said they may',
    ],
    [
      'returned keys stay refused',
      'if (change.byUnits < 0 && !inFlight) this.#refusals.forgive(change.check)\n',
      '',
      'a refund does not open the key in an outage',
    ],
  ),
  ...inFile('resilience/refusals.ts', [
    'a refusal is kept though its key was changed meanwhile',
    'return moment < (this.#kept.get(check)?.moment ?? this.#unknownUntil)',
    'return false',
    'a refusal from before a refund, and heard after it, holds through an outage',
  ]),
  ...inFile('resilience/after-outage.ts', [
    'a longer wait is forgotten',
    'mirror.noticeKeys([check], waitUs)',
    '',
    'a reservation that waits longer than the store said counts there as one that has passed sooner',
  ]),
  ...inFile('resilience/charges.ts', [
    'busy keys count once',
    'charged.units += units',
    'charged.units = units',
    'of many charges only the last counts in an outage',
  ]),
  ...inFile(
    'resilience/refusals.ts',
    [
      'refusals end early',
      'const untilUs = nowUs + row.retryAfterUs\n',
      'const untilUs = nowUs + row.retryAfterUs / 4\n',
      'a refused key passes in an outage too soon',
    ],
    [
      'the latest refusal is all',
      'else known.refusal = both(known.refusal, refusal, nowUs)',
      'else known.refusal = refusal',
      'a refusal of a high cost hides that of a low one',
    ],
  ),
  ...inFile('resilience/degraded.ts', [
    'own receipts have no mark',
    "return row.receipt === '' ? row : { ...row, receipt: `${mark}${row.receipt}` }",
    'return row',
    'what was taken here is given back to the store',
  ]),
  ...inFile('all-or-nothing.ts', [
    'one unit goes back',
    'receipt, byUnits: -cost }',
    'receipt, byUnits: -1 }',
    'of a late charge only a part is given back',
  ]),
  ...inFile('ahead/store.ts', [
    'a look waits twice',
    'const answer = ownAnswer(this.#inner, question, request)',
    'const answer = ownAnswer(this.#inner, question, undefined)',
    'a look past units in hand has two deadlines',
  ]),
  ...inFile(
    'ahead/taking.ts',
    [
      'more is in hand than was taken',
      'this.#keys.keep(key, { row, check, sentUs, units })',
      'this.#keys.keep(key, { row, check, sentUs, units: units + check.cost })',
      'units are used that nobody has taken',
    ],
    [
      'what did not fit stays',
      'void this.#keys.adjust(givingBack(checksOf(take), rows))\n',
      '',
      'units that were taken in vain are never given back',
    ],
  ),
  ...inFile('ahead/hot-key.ts', [
    'units never end',
    'if (first === undefined || nowUs < first.endsUs) return undefined',
    'if (first === undefined || nowUs < first.endsUs + 1e12) return undefined',
    'what is in hand is never given back in time',
  ]),
  ...inFile(
    'redis/server-deadlines.ts',
    [
      'deadlines are generous',
      'instantText(clock.earliest(firstUs + deadlineUs))',
      'instantText(clock.earliest(firstUs + 20 * deadlineUs))',
      'a server that hung takes for those who have gone',
    ],
    [
      'a slow reply makes deadlines late',
      'instantText(clock.earliest(firstUs + deadlineUs))',
      'instantText(clock.latest(firstUs + deadlineUs))',
      'after a slow first reply a server that hung takes for those who have gone',
    ],
  ),
  ...inFile('redis/batches.ts', [
    'what came too late is forgotten',
    'late ??= []\n        late.push(asked)',
    'asked.waiting.failed(tooLate())',
    'after a step of its clock the server has failed',
  ]),
  ...inFile('redis/server-deadlines.ts', [
    'a set clock is not noticed',
    'known.leastUs > mostUs || known.mostUs < leastUs) return { leastUs, mostUs }',
    'known.leastUs > mostUs) return { leastUs, mostUs }\n  if (known.mostUs < leastUs) return known',
    'after a step of its clock the server decides nothing',
  ]),
  ...inFile('redis/batches.ts', [
    'what came too late is dropped',
    'if (again.length > 0) this.#waiting.unshift(...again)',
    '',
    'after a step of its clock the server answers nobody',
  ]),
  ...inFile('redis/rows.ts', [
    'rows are read backwards',
    'for (let i = checks.length - 1; i >= 0; i--) {\n      const check = checks[i]\n      if (check !== undefined) rows[i] = this.#row(check, question)',
    'for (let i = 0; i < checks.length; i++) {\n      const check = checks[i]\n      if (check !== undefined) rows[i] = this.#row(check, question)',
    'policies of one request get the answers of others',
  ]),
  ...inFile('redis/decide-calls.ts', [
    'alike in everything but costs',
    'one?.policy !== other?.policy || one?.cost !== other?.cost ||',
    'one?.policy !== other?.policy ||',
    'questions of one call are charged with the costs of others',
  ]),
  ...inFile('redis/evalsha.ts', [
    'lost scripts are not sent',
    'if (!isUnknownScript(error)) throw error',
    'throw error',
    'a server that has lost its scripts is taken for one that fails',
  ]),
  ...inFile(
    'redis/recent-refusals.ts',
    [
      'refusals are repeated for ever',
      'staleUs: localUs + this.#forUs,',
      'staleUs: localUs + 1e12,',
      'what others give back is never seen here',
    ],
    [
      'any cost is repeated',
      '(cost === 1 || (countsRequests && cost > 0))',
      'cost > 0',
      'a refusal of a high cost is repeated to a low one',
    ],
    [
      'own changes are not seen',
      'changing.set(check.key, (changing.get(check.key) ?? 0) + 1)',
      '',
      'a refusal from before a refund is kept after it',
    ],
  ),
  ...inFile('redis/calls.ts', [
    'lines have no deadline',
    'return this.#deadlines.run(call, { askedUs: this.clock.nowUs() })',
    'return this.#deadlines.run(call, { askedUs: this.clock.nowUs() + 1e10 })',
    'a server that hung gives places to those who have gone',
  ]),
  ...inFile(
    'places/lease-renewal.ts',
    [
      'renewals come late',
      'const dueUs = renewedUs + us / 3',
      'const dueUs = renewedUs + 2 * us',
      'leases lapse before they are renewed',
    ],
    [
      'released leases are renewed',
      'drop(row: StoreRow): void {\n    this.#kept.delete(row)',
      'drop(_row: StoreRow): void {',
      'a place that was released is taken again',
    ],
  ),
  ...inFile(
    'places/line-here.ts',
    [
      'last come, first served',
      'this.#waiting.splice(at, 0, caller)',
      'this.#waiting.splice(at === this.#waiting.length ? 0 : at, 0, caller)',
      'who comes later is served earlier',
    ],
    [
      'who has left stands on',
      'if (caller.isKnown) this.#leaving.push(caller)\n',
      '',
      'turns of those who have left keep others out',
    ],
  ),
  ...inFile('redis/manage-calls.ts', [
    'blocks and counts have no amount',
    'us ?? units ?? 0,',
    'us ?? 0,',
    'a count that is set is empty',
  ]),
  ...inFile('limiter/question-limiter.ts', [
    'only the first policy is changed by hand',
    'await Promise.all(checks.map((check) => this.asked.manage({ op: act.act',
    'await Promise.all(checks.slice(0, 1).map((check) => this.asked.manage({ op: act.act',
    'of several policies only the first is blocked, unblocked or reset',
  ]),
  ...inFile(
    'limiter/policy-limiter.ts',
    [
      'only the first policy is set',
      'await Promise.all(counts.map(({ check, units }) => this.asked.manage',
      'await Promise.all(counts.slice(0, 1).map(({ check, units }) => this.asked.manage',
      'of several policies only the first gets the count that is set',
    ],
    [
      'penalties count twice',
      'await this.correct(changesBy(charges, 1))',
      'await this.correct(changesBy(charges, 2))',
      'a penalty takes more than was said',
    ],
    [
      'rewards are refunds',
      '({ ...change, reward: true as const })',
      '({ ...change })',
      'a reward is taken for a charge that is given back',
    ],
  ),
  ...inFile(
    'redis/client-errors.ts',
    [
      'a slot that moves is a failure',
      "isCrossSlot(error) || startsWith(error, 'TRYAGAIN')",
      'isCrossSlot(error)',
      'while a slot moves requests of several policies are answered without the store',
    ],
    [
      'several slots are a failure',
      "return startsWith(error, 'CROSSSLOT')",
      "return startsWith(error, 'CROSS SLOT')",
      'behind a client for one server a cluster decides nothing',
    ],
  ),
  ...inFile(
    'redis/by-slot.ts',
    [
      'of several slots the first keeps what it took',
      'const givenBack = this.#giveBack(question.checks, rows)',
      'const givenBack = Promise.resolve()',
      'what one slot took for a request that another refuses stays taken',
    ],
    [
      'refunds do not follow a slot',
      'if (!isTooWide(error)) throw error\n      await Promise.all(\n        changes.map((change) => this.#calls.adjust([{ ...change, check: oneKeyOf(change.check) }])),\n      )',
      'throw error',
      'what is given back while a slot moves is lost',
    ],
  ),
  ...inFile('redis/server-deadlines.ts', [
    'all servers have one clock',
    'const known = this.#serverClocks.get(server)\n',
    "const known = this.#serverClocks.get('')\n",
    'where two servers of a cluster have different clocks one of them finds every call too late',
  ]),
  ...inFile('limiter/limiter-lists.ts', [
    'lists are of addresses only',
    'found = strongerOf(found, lists.ofKey(key, this.#limiter))',
    'found = strongerOf(found, undefined)',
    'no key is found on a list',
  ]),
  ...inPackage('operations/src/lists/redis-lists.ts', [
    'own changes are seen late',
    'await this.#server.put(place, time, about)\n    await this.#polling.afresh()',
    'await this.#server.put(place, time, about)',
    'who is put on a list passes once more in the process that has done it',
  ]),
  ...inPackage('operations/src/polling.ts', [
    'lists are read once',
    'const everyMs = 400',
    'const everyMs = 400_000',
    'what others put on a list is never seen here',
  ]),
  ...inPackage('operations/src/lists/entry.ts', [
    'entries do not end',
    'endsAtUs: nowUs + stored.endsInMs * 1000',
    'endsAtUs: nowUs + stored.endsInMs * 1_000_000',
    'who was put on a list stays there',
  ]),
  ...inFile(
    'waiting/deadlines.ts',
    [
      'deadlines are looked at rarely',
      'const lookEveryMs = 20',
      'const lookEveryMs = 400',
      'requests wait longer than their deadline',
    ],
    [
      'a second question is looked for as long as a first',
      'ranMs - Math.max(0, now - waiting.expiresAt - pausedMs)',
      'ranMs',
      'who asks again after a standstill waits for twice as long',
    ],
  ),
  ...queueFaults,
  ...callerFaults,
]
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: these are pieces of code
