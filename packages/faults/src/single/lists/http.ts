import { inFile } from '../fault.ts'
import { type GuardedFault, noticedBy } from '../guarded.ts'

const folder = 'packages/http/src'
const test = 'packages/http/test'
/** The suite of all adapters, on the two that are furthest apart. */
const suite = ['packages/express/test/express5.test.ts', 'packages/fastify/test/fastify5.test.ts']

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: these are pieces of code
/** Fields, statuses, bodies, addresses, and the ends of requests. */
export const httpFaults: readonly GuardedFault[] = [
  ...noticedBy(
    [`${test}/same-name.test.ts`],
    inFile(
      `${folder}/gate.ts`,
      [
        'one count twice is nothing',
        'if (hasItems || haveOneCount)',
        'if (hasItems)',
        'two limiters of one name halve a limit, and nobody says so',
      ],
      [
        'a limiter that is passed to two middlewares is two',
        'gate.limiter !== limiter &&',
        '',
        'a route that costs more is warned of',
      ],
    ),
  ),
  ...noticedBy(
    [`${test}/made-per-request.test.ts`],
    inFile(
      `${folder}/made-per-request.ts`,
      [
        'no limit was made with its request',
        'if (++inTurn === most)',
        'if (inTurn === most)',
        'nobody says that a handler makes a limit anew, which limits nobody',
      ],
      [
        'limits that are kept stay suspects',
        'inTurn = 0\n      this.#clear()',
        'this.#clear()',
        'an application that makes the limits of a tenant when it first comes is warned for nothing',
      ],
      [
        'all limits are new',
        'if (!this.#isSuspect) clear()',
        '',
        'an application that makes ten limits and asks each once is warned for nothing',
      ],
    ),
  ),
  ...noticedBy(
    [`${test}/address.test.ts`, `${test}/network.test.ts`],
    inFile(
      `${folder}/address.ts`,
      [
        'clients behind NAT64 are one network',
        'return mapped || translated ? [high, low] : groups',
        'return mapped ? [high, low] : groups',
        'all IPv4 clients of a server without IPv4 share a count',
      ],
      [
        'a single zero is cut',
        'if (run > 1 && run > gapEnd - gapStart) {',
        'if (run > gapEnd - gapStart) {',
        'one address has two spellings, and two counts',
      ],
      [
        'the last of two equal gaps is cut',
        'if (run > 1 && run > gapEnd - gapStart) {',
        'if (run > 1 && run >= gapEnd - gapStart) {',
        'one address has two spellings, and two counts',
      ],
      [
        'a gap of nothing is a gap',
        'if (gap >= 0 && groups.length === 8) return undefined\n',
        '',
        'what is no address is one to a proxy that chooses by it',
      ],
      [
        'an address has two gaps',
        'if (gap >= 0) return undefined\n',
        '',
        'what is no address is one, and nobody knows which',
      ],
      [
        'leading zeros are read',
        'if (code < 48 || code > 57 || byte === 0) return false',
        'if (code < 48 || code > 57) return false',
        'an address has several spellings, and a count for each',
      ],
    ),
    inFile(
      `${folder}/address.ts`,
      [
        'a site of 6to4 is cut too short',
        'if (a === 0x2002) return Math.min(ipv6Prefix, 48)',
        'if (a === 0x2002) return 48',
        'ipv6Prefix: 32 is not what is cut',
      ],
      [
        'a client of Teredo is another address',
        'addressText([high ^ 0xffff, low ^ 0xffff])',
        'addressText([high, low])',
        'the address behind a tunnel is never that of its IPv4 requests',
      ],
      [
        'all of 2001:: is Teredo',
        'if (a === 0x2001 && b === 0) return',
        'if (a === 0x2001) return',
        'a client of most providers has a new count for each address',
      ],
      [
        'clients of one’s own NAT64 are one network',
        'return a === 0x64 && b === 0xff9b && c === 1 ? 128 : ipv6Prefix',
        'return ipv6Prefix',
        'all IPv4 clients of a site share a count',
      ],
    ),
  ),
  ...noticedBy(
    { tests: [`${test}/view.test.ts`, ...suite], named: 'view|address|key' },
    inFile(
      `${folder}/request-view.ts`,
      [
        'an IPv6 client is not cut',
        'this.address === undefined ? unknownNetwork : networkOfCanonical(this.address, ipv6Prefix)',
        'this.address ?? unknownNetwork',
        'a client of IPv6 has a new count for each request',
      ],
      [
        'a proxy that forwards nonsense has no address',
        'canonicalAddress(ip) ?? canonicalAddress(peer)',
        'canonicalAddress(ip)',
        'all clients whose proxy forwards no address share one count with everybody else',
      ],
    ),
  ),
  ...noticedBy(
    [`${test}/cidr.test.ts`],
    inFile(
      `${folder}/cidr.ts`,
      [
        'the last address is outside',
        'else if (compare(address, block.last) > 0) low = middle + 1',
        'else if (compare(address, block.last) >= 0) low = middle + 1',
        'the last address of a denied network passes',
      ],
      [
        'a network with bits behind it is taken',
        'if (compare(network, written) !== 0) {',
        'if (compare(network, written) < 0 && first.length === 0) {',
        '10.0.0.1/8 denies millions of clients where one was meant',
      ],
      [
        'a translator is a network',
        'if (isTranslator(network) && Number(length) <= ipv4Bits) return bad(noTranslator)\n',
        '',
        'who denies a NAT64 denies all clients of IPv4',
      ],
      [
        'prefixes of IPv4 that is written as IPv6 are not shortened',
        'const bits = Number(length) - (width - 16 * first.length)',
        'const bits = Number(length)',
        'a denied network is one address',
      ],
      [
        'the first of two nested networks hides the larger',
        'compare(a.first, b.first) || compare(b.last, a.last)',
        'compare(a.first, b.first) || compare(a.last, b.last)',
        'an address of a denied network passes where a smaller one begins with it',
      ],
    ),
  ),
  ...noticedBy(
    [`${test}/upgrade.test.ts`, `${test}/long-texts.test.ts`],
    inFile(
      `${folder}/trust-proxy.ts`,
      [
        'a chain that is cut gives an address',
        "if (header.length > maxChainLength) chain[0] = ''\n",
        '',
        'a client that sends a long chain chooses its address',
      ],
      [
        'a trusted hop without an address is nobody',
        'if (next === undefined) return address === peer ? undefined : address',
        'if (next === undefined) return undefined',
        'a proxy that asks by itself shares the count of its own clients',
      ],
    ),
    inFile(
      `${folder}/upgrade.ts`,
      [
        'letters are counted for bytes',
        'Buffer.byteLength(body)}`',
        'body.length}`',
        'the end of a refusal with other letters is cut off',
      ],
      [
        'a client that has ended its half waits on',
        "socket.on('end', close)\n",
        '',
        'sockets of clients that have gone are never closed',
      ],
      [
        'a socket that nobody closes is renewed',
        "for (const half of ['end', 'finish'])",
        "for (const half of ['finish'])",
        'behind http-proxy clients that have gone keep their places while its server does not answer',
      ],
      [
        'a socket that is refused behind its guard is renewed',
        "for (const half of ['end', 'finish'])",
        "for (const half of ['end'])",
        'a client that sends a byte after its upgrade keeps its place for ever if the server behind http-proxy refuses it',
      ],
      [
        'nobody listens to a socket that has passed',
        "socket.off('end', close)\n",
        "socket.off('end', close).off('error', ignore)\n",
        'a client that resets its socket ends the process',
      ],
    ),
  ),
  ...noticedBy(
    [`${test}/fields.test.ts`, `${test}/outcome.test.ts`, `${test}/merge-fields.test.ts`],
    inFile(
      `${folder}/fields.ts`,
      [
        'an instant is rounded twice',
        'return secondsUp(nowMs + resetAfterMs)',
        'return secondsUp(nowMs) + secondsUp(resetAfterMs)',
        'X-RateLimit-Reset in epoch seconds is a second late',
      ],
      [
        'a window is rounded down',
        '`${quota};w=${secondsUp(windowMs)}`',
        '`${quota};w=${Math.floor(windowMs / 1000)}`',
        'the stated rate is above the true one',
      ],
      [
        'what is in flight has a time',
        'if (verdict.inFlight) return item\n',
        '',
        'a client waits for an instant at which nothing becomes free',
      ],
      [
        'a window of a second has none',
        'windowMs !== null && windowMs >= 1000',
        'windowMs !== null && windowMs > 1000',
        'a client cannot see the rate of the most usual short window',
      ],
      [
        'a refused item says its reset',
        'item : `${item};t=${retryAfterSeconds(verdict.retryAfterMs)}`',
        'item : `${item};t=${secondsUp(verdict.resetAfterMs)}`',
        'a client waits for the whole window instead of for one unit',
      ],
      [
        'a held request says an old reset',
        'return Math.max(0, resetAfterMs - waitMs)',
        'return resetAfterMs',
        'a request that has waited says the wait once more',
      ],
      [
        'a refusal leaves units',
        "allowed ? String(fieldInteger(remaining)) : '0'",
        'String(fieldInteger(remaining))',
        'clients that back off only at 0 go on',
      ],
    ),
    inFile('packages/core/src/units.ts', [
      'come back at once',
      'return Math.max(1, secondsUp(ms))',
      'return secondsUp(ms)',
      'Retry-After: 0 makes clients repeat the request in a loop',
    ]),
    inFile(`${folder}/problem.ts`, [
      'a shadow policy is named',
      'if (!allowed && !check.shadow) names.push(check.lane.wire)',
      'if (!allowed) names.push(check.lane.wire)',
      'a body names a limit that is only tried out',
    ]),
    inFile(
      `${folder}/request-state.ts`,
      [
        'the later limiter says when to come back',
        'String(Math.max(retryAfter, earlier))',
        'String(retryAfter)',
        'Retry-After is that of the limiter that has the shorter wait',
      ],
      [
        'fields of the application are written over',
        'if (present === undefined || String(present) === valueIn(earlier, name))',
        'if (name !== undefined)',
        'an application’s own Cache-Control or Retry-After is lost',
      ],
      [
        'refusals are cached',
        "fields.push(['Cache-Control', 'no-store'])\n",
        '',
        'a cache answers others with somebody’s refusal',
      ],
    ),
    inFile(`${folder}/drafts.ts`, [
      'the faster of two equal quotas is named',
      'if (known.windowSeconds < quota.windowSeconds) quotas[i] = quota',
      'if (known.windowSeconds > quota.windowSeconds) quotas[i] = quota',
      'a client believes in a rate that is refused',
    ]),
  ),
  ...noticedBy(
    [`${test}/outcome.test.ts`, `${test}/merge-fields.test.ts`],
    inFile(
      `${folder}/drafts.ts`,
      [
        'a chosen policy has the quota of another',
        'if (known?.policy === policy && known.windowMs === windowMs) return known.made',
        'if (known?.windowMs === windowMs) return known.made',
        'a client of one plan gets the quota of another',
      ],
      [
        'a calendar has the window of before',
        'if (known?.policy === policy && known.windowMs === windowMs) return known.made',
        'if (known?.policy === policy) return known.made',
        'February is as long as January',
      ],
      [
        'items of a shadow policy are sent',
        'if (!verdict.shown) continue\n    const { lane } = verdict.check',
        'const { lane } = verdict.check',
        'a client sees a limit that is only tried out',
      ],
      [
        'items of an earlier limiter are lost',
        'const items = [...earlier]',
        'const items: Item[] = []',
        'of two limiters a client sees the last',
      ],
      [
        'quotas of a shadow policy are sent',
        'if (!verdict.shown) continue\n    const quota',
        'const quota',
        'in drafts 6 and 7 a client sees a limit that is only tried out',
      ],
      [
        'a refusal says its reset in drafts 6 and 7',
        'const waits = !allowed && retryAfterMs !== null',
        'const waits = allowed && retryAfterMs !== null',
        'a client waits for the whole window instead of for one unit',
      ],
      [
        'what is in flight has a window',
        'quotaOf(quota, inFlight ? null : windowMs)',
        'quotaOf(quota, windowMs ?? 1000)',
        'a client of drafts 6 and 7 takes a number of places for a rate',
      ],
    ),
    inFile(
      `${folder}/request-state.ts`,
      [
        'the last limiter is shown',
        'const binds = state.binding === undefined || decisions.decisionBindsMore(decision, state.binding)',
        'const binds = true',
        'a client sees a limit that has room while another is nearly used up',
      ],
      [
        'two drafts are mixed',
        'state.draft ??= rules.draft',
        'state.draft = rules.draft',
        'no client can read the fields of two limiters',
      ],
      [
        'a field stands in two versions',
        'earlier.filter(([name]) => valueIn(later, name) === undefined)',
        'earlier.filter(() => true)',
        'the third limiter of a request takes what the second one wrote for the application’s own',
      ],
    ),
  ),
  ...noticedBy(
    [`${test}/gate.test.ts`],
    inFile(`${folder}/problem.ts`, [
      'who is denied is told a policy',
      "if (decision.reason === 'denied') return []\n",
      '',
      'a body names a policy that has not refused',
    ]),
    inFile(
      `${folder}/refusal.ts`,
      [
        'a type may have line ends',
        ' && fieldText.test(type)',
        '',
        'what a program takes from a client writes fields of its own',
      ],
      [
        'a status may be a continuation',
        'status >= 200 && status <= 599',
        'status >= 100 && status <= 599',
        'a client waits for ever behind a refusal with 100',
      ],
    ),
    inFile(
      `${folder}/gate.ts`,
      [
        'who is allowed is not denied',
        'if (this.#rules.denied?.(address) === true)',
        'if (this.#rules.denied?.(address) === true && this.#rules.allowed?.(address) !== true)',
        'an allowed network lets denied addresses pass',
      ],
      [
        'gates before the last one are forgotten',
        'call.passed = new PassedGate(this, decision, call.passed)\n    if (decision === null) return uncounted',
        'call.passed = new PassedGate(this, decision, undefined)\n    if (decision === null) return uncounted',
        'a router with two limiters that is mounted twice counts twice',
      ],
      [
        'a settle without a cost is the last one',
        'if (cost === undefined) return\n',
        '',
        'what a handler gives back after its response stays charged',
      ],
      [
        'an answer of nonsense is sent',
        'if (isRefusal(refusal)) return refusal\n  const expected',
        'if (refusal !== null) return refusal as Refusal\n  const expected',
        'a mistake of onRefused throws inside the framework',
      ],
    ),
  ),
  ...noticedBy(
    [`${test}/subject.test.ts`],
    inFile(
      `${folder}/subject.ts`,
      [
        'notApplicable is no policy',
        'if (policy === notApplicable) members[name] = notApplicable\n        else policies',
        'policies',
        'a plan without a limit is an error',
      ],
      [
        'a look-up that finds nothing is no limit',
        'if (isPolicy(policy)) return policy\n  const path',
        'if (isPolicy(policy) || policy === undefined) return policy as Policy\n  const path',
        'a client whose plan is unknown has another limit',
      ],
    ),
    inFile(
      `${folder}/subject.ts`,
      [
        'what every object has is a key',
        'Object.hasOwn(record, name) ? record[name] : undefined',
        'record[name]',
        'a policy that is called constructor is an error for each request',
      ],
      [
        'no path is the path of nobody',
        'if (!Array.isArray(answer) || answer.length === 0)',
        'if (!Array.isArray(answer))',
        'a key function that answers an empty list is met by no limit of the tree',
      ],
      [
        'each key that is none is described',
        '    if (this.#warned) return\n',
        '',
        'a client that writes what is no key makes a text of it with each request',
      ],
      [
        'a mistake of the program is no key',
        'refuseMistakes(path, answer)\n    this',
        'this',
        'a forgotten await counts all users under their networks',
      ],
      [
        'a path has an empty place',
        'const name = Array.isArray(place)',
        "const name = place === '' ? '' : Array.isArray(place)",
        'all clients that write nothing share the count of one place in a tree',
      ],
    ),
  ),
  ...noticedBy(
    [`${test}/kept.test.ts`],
    inFile(
      `${folder}/kept.ts`,
      [
        'two responses to one request share what is kept with them',
        'return this.#holderOf(of)[this.#mark]?.value ?? ',
        "return Object(holderOf(Reflect.get(of, 'req') ?? of))[this.#mark]?.value ?? ",
        'a WebSocket of express-ws ends the work of the request that it came with',
      ],
      [
        'of two responses to one request the second forgets what it keeps once the first has ended',
        'return first === of && !Reflect.has(of, this.#mark) ? shared : (of as Holder<Of, T>)',
        'return first === of ? shared : (of as Holder<Of, T>)',
        'a place is held for as long as its lease',
      ],
      [
        'a frozen object keeps nothing',
        '    this.#frozen.set(of, value)\n',
        '',
        'one request has two places of load shedding around load shedding',
      ],
    ),
  ),
  ...noticedBy(
    [`${test}/slow-readers.test.ts`],
    inFile(
      `${folder}/slow-readers.ts`,
      [
        'after a time without clients nobody is looked at',
        '    this.#looks = false\n',
        '',
        'once no answer was open, clients that read nothing hold their places for ever',
      ],
      [
        'answers that are over are kept',
        '    this.#all.remove(reading)\n',
        '',
        'a process keeps every answer that it has ever given',
      ],
      [
        'an answer that drains takes nothing',
        'const hasTaken = taken > this.#taken || drained',
        'const hasTaken = taken > this.#taken',
        'where answers have no connection of their own, each long one loses its place',
      ],
      [
        'a stream that fills takes something',
        'return -(raw.stream.bufferSize ?? 0)',
        'return raw.stream.bufferSize ?? 0',
        'on HTTP/2 who reads loses its place, and who does not keeps it',
      ],
      [
        'who has taken all is idle',
        'if (!waitsForClient || !answer.writableLength)',
        'if (!waitsForClient)',
        'a stream that pauses for longer than sendTimeout loses its place',
      ],
    ),
  ),
  ...noticedBy(
    [`${test}/max-wait.test.ts`],
    inFile(
      `${folder}/max-wait.ts`,
      [
        'what cannot wait is asked to',
        'if (limiter.delay === undefined)',
        'if (false)',
        'maxWait makes nobody wait, and nothing says so',
      ],
      [
        'a wait of half a minute is too long',
        'if (maxWaitMs > longMs)',
        'if (maxWaitMs >= longMs)',
        'a wait that every proxy allows is warned of',
      ],
    ),
    inFile(
      `${folder}/gate.ts`,
      [
        'who goes while it waits is an error',
        '      if (wait.signal.aborted && thrown === wait.signal.reason) return gone\n',
        '',
        'each client that hangs up while it waits is an error in the log',
      ],
      [
        'a limiter that is closed throws at those who wait',
        '      if (!isClosedError(thrown)) throw thrown\n',
        '      throw thrown\n',
        'a shutdown answers waiting requests with 500',
      ],
      [
        'errors of a key function are outages',
        '      if (!isClosedError(thrown)) throw thrown\n',
        '',
        'with maxWait a mistake of the program is answered with 503, and never seen',
      ],
    ),
  ),
  ...noticedBy(
    [`${test}/slow-down.test.ts`],
    inFile(`${folder}/gate.ts`, [
      'who is slowed down twice counts twice',
      '    call.passed = new PassedGate(this, null, call.passed)\n',
      '',
      'behind a router that is mounted twice each request is counted and delayed twice',
    ]),
    inFile(
      `${folder}/slow-down.ts`,
      [
        'an option of slowDown that does not exist is taken',
        "  checkNames(given, 'slowDown', ['delayAfter', 'delayMs', 'maxDelayMs'])\n",
        '',
        'who writes maxdelayMs has delays of half a minute',
      ],
      [
        'what cannot delay is asked to',
        'if (!canHold(limiter))',
        'if (false)',
        'slowDown delays nobody, and nothing says so',
      ],
      [
        'a delay begins one request early',
        'if (!(used > delayAfter)) return 0',
        'if (!(used >= delayAfter)) return 0',
        'the last request without a delay has one',
      ],
      [
        'a delay that is no number is none',
        'Math.min(Math.max(0, Math.ceil(ms)), maxDelayMs) : maxDelayMs',
        'Math.min(Math.max(0, Math.ceil(ms)), maxDelayMs) : 0',
        'a delay that grew beyond all bounds lets a flood through',
      ],
      [
        'a slowed request keeps its place',
        'sleepers.leave()\n  }\n  return true',
        'void sleepers\n  }\n  return true',
        'after maxSleepers requests none is slowed down',
      ],
      [
        'a banned client is slowed down',
        "return reason === 'denied' || reason === 'blocked' || reason === 'banned'",
        "return reason === 'denied' || reason === 'blocked'",
        'a banned client passes',
      ],
    ),
  ),
  ...noticedBy(
    [`${test}/retry-jitter.test.ts`],
    inFile(`${folder}/retry-jitter.ts`, [
      'a spread is drawn anew',
      'shareOf(decision.limiter, decision.key) * jitterMs',
      'Math.random() * jitterMs',
      'a client that asks again is told another instant',
    ]),
  ),
  ...noticedBy(
    [`${test}/route-gate.test.ts`],
    inFile(
      `${folder}/route-gate.ts`,
      [
        'an option of nothing takes the place of the parent’s',
        'Object.entries(options).filter(([, value]) => value !== undefined)',
        'Object.entries(options).filter(() => true)',
        'a route that says key: undefined counts by another key',
      ],
      [
        'a route has the costs of policies that it lacks',
        'cost = isPlain ? parentCost : only(all, parentCost),',
        'cost = parentCost,',
        'a route with policies of its own is an error at the start',
      ],
      [
        'a route has the name of all',
        'name = about.name,',
        'name = parent?.limiter.name ?? about.name,',
        'routes with policies of their own share a count',
      ],
      [
        'null says nothing',
        'filter(([, value]) => value !== undefined)',
        'filter(([, value]) => value != null)',
        'a setting that a program has as null is silently that of all routes',
      ],
    ),
  ),
  ...noticedBy(
    [`${test}/merge-upstream.test.ts`],
    inFile(`${folder}/merge-upstream.ts`, [
      'a limit that is not known to be lower wins',
      'if (!whole || !less) for (const name of names) theirs.delete(name)',
      'if (!less) for (const name of names) theirs.delete(name)',
      'fields of two limits are mixed',
    ]),
  ),
  ...noticedBy(
    [`${test}/accept.test.ts`, `${test}/problem.test.ts`],
    inFile(`${folder}/accept.ts`, [
      'a tie is text',
      'return text > Math.max(',
      'return text >= Math.max(',
      'programs that accept anything get no JSON',
    ]),
    inFile(`${folder}/problem.ts`, [
      'one second is several',
      "seconds === 1 ? 'second' : 'seconds'",
      "seconds <= 2 ? 'second' : 'seconds'",
      'the sentence of a refusal says "2 second"',
    ]),
  ),
  ...noticedBy(
    [`${test}/piped.test.ts`],
    inFile(`${folder}/silent-ends.ts`, [
      'who destroys an answer whose client has gone is not heard',
      'if (raw.destroyed || raw.socket !== null || !isGone) call()\n',
      'if (req?.socket?.destroyed === false) call()\n',
      'a handler that hears of a hang-up keeps its place until its lease ends',
    ]),
    inFile(`${folder}/work.ts`, [
      'who writes as its client reads holds a place without it',
      'piped || this.#isPaced || ',
      'piped || ',
      'who hangs up while a Web stream is sent keeps a place until its lease ends',
    ]),
  ),
  ...noticedBy(
    [`${test}/errors.test.ts`],
    inFile(`${folder}/as-error.ts`, [
      'an error is not read before it is handed on',
      'isReadable(thrown) && isError(thrown) && ',
      'isError(thrown) && ',
      'a key function that throws a revoked Proxy leaves its request without an answer',
    ]),
  ),
  ...noticedBy(
    [`${test}/ended-unsent.test.ts`],
    inFile(`${folder}/silent-ends.ts`, [
      'what Node destroys is destroyed by its handler',
      'raw.destroyed || raw.socket !== null || !isGone',
      'true',
      'clients that send two requests at once and hang up start more work than the limit',
    ]),
    inFile(`${folder}/silent-ends.ts`, [
      'a connection that the answer in front has destroyed is forgotten at once',
      " && (req?.destroyed !== false || 'Bun' in globalThis)",
      '',
      'of handlers that break their connection together all but one keep their places until the lease ends',
    ]),
  ),
  ...noticedBy(
    [`${test}/chosen-for-a-limiter.test.ts`],
    inFile(`${folder}/rules.ts`, [
      'a limiter takes functions for policies that it does not have',
      'names.includes(name) && chooses(choice)',
      'chooses(choice)',
      'a misspelt name chooses nothing, and the limits of the plan never apply',
    ]),
  ),
  ...noticedBy(
    [`${test}/pause.test.ts`, `${test}/limited-fetch.test.ts`],
    inFile(
      `${folder}/pause.ts`,
      [
        'every item is used up',
        "if (remaining === '0' && decimal.test(reset))",
        'if (decimal.test(reset))',
        'a client pauses although units remain',
      ],
      [
        'an instant is taken for a wait',
        'if (reset < earliestEpochSeconds) return reset * 1000',
        'if (reset <= Number.POSITIVE_INFINITY) return reset * 1000',
        'a reset in epoch seconds pauses a client for fifty years',
      ],
      [
        'X-RateLimit-Reset is heard at 429 alone',
        'if (resetMs !== null || (status !== 403 && status !== 429)) return resetMs',
        'if (resetMs !== null || status !== 429) return resetMs',
        'a worker goes on asking GitHub until the hour is over',
      ],
    ),
    inFile(
      `${folder}/limited-fetch.ts`,
      [
        'a pause has no bound',
        'Math.ceil(Math.min(this.#maxPauseMs, lengthened))',
        'Math.ceil(lengthened)',
        'another service stops a client for ever',
      ],
      [
        'after a pause the whole wait begins anew',
        'Math.max(0, Math.floor((deadlineMs - this.#nowMs()) * 1000))',
        'this.#maxWaitMs * 1000',
        'a request waits longer than maxWait',
      ],
    ),
  ),
  ...noticedBy(
    { tests: [`${test}/subject.test.ts`, ...suite], named: 'key' },
    inFile(`${folder}/subject.ts`, [
      'a user is called as an address',
      'return this.#answered ? ownKey(answer) : answer',
      'return answer',
      'a user who writes keyless:ADDRESS as a name uses up the count of that address',
    ]),
  ),
  ...noticedBy(
    [`${test}/lists/list-table.test.ts`, `${test}/lists/lists.test.ts`],
    inFile(
      `${folder}/list-table.ts`,
      [
        'an entry holds at its end',
        'if (endsAtUs <= nowUs ||',
        'if (endsAtUs < nowUs ||',
        'a key is denied for no time at all',
      ],
      [
        'a name that is an allowed address passes',
        "return around === undefined || around.list === 'allow' ? own : strongerOf(own, around)",
        'return around === undefined ? own : strongerOf(own, around)',
        'a client who calls itself as an allowed address has no limit',
      ],
      [
        'an entry is everybody’s',
        '(only !== undefined && only !== limiter)) continue',
        'false) continue',
        'an entry for one limiter holds for all',
      ],
      [
        'the rest of an entry is rounded down',
        'endsInMs: Math.ceil((endsAtUs - nowUs) / 1000)',
        'endsInMs: Math.floor((endsAtUs - nowUs) / 1000)',
        'a client that waits as long as it should is still refused by a list',
      ],
      [
        'a network has one entry',
        'addTo(networks, first.join(), entry)',
        'networks.set(first.join(), [entry])',
        'a denial is lost as the same network is allowed for another limiter',
      ],
      [
        'IPv4 written as IPv6 is on no list',
        'return groups === undefined ? undefined : this.#ofGroups(unmapped(groups), limiter)',
        'return groups === undefined ? undefined : this.#ofGroups(groups, limiter)',
        'a denied client passes by a listener for both',
      ],
      [
        'a key is not refused with its network',
        "const around = typeof key === 'string' ? this.ofAddress(key, limiter) : undefined",
        'const around = undefined as Listed | undefined',
        'an address of a denied network passes where limiters are asked without HTTP',
      ],
      [
        'without a network of IPv4 none is looked at',
        'if (this.#ipv4.size === 0 && this.#ipv6.size === 0) return undefined',
        'if (this.#ipv4.size === 0) return undefined',
        'denied networks of IPv6 pass',
      ],
      [
        'the last network that is met decides',
        'found = strongerOf(found, this.#applying(networks',
        'found = (this.#applying(networks',
        'an address passes whose network is denied, as a larger one is on no list',
      ],
    ),
  ),
  ...noticedBy(
    [`${test}/own-origin.test.ts`],
    inFile(`${folder}/own-origin.ts`, [
      'what is typed in may write',
      "if (site !== undefined && !(site === 'none' && onlyReads(request))) return false",
      "if (site !== undefined && site !== 'none') return false",
      'a page makes a browser change limits by a form that looks typed in',
    ]),
  ),
  ...noticedBy(
    { tests: suite, named: 'counted|settling|hang-ups|aborts|addresses|several|abandoned' },
    inFile(
      `${folder}/gate.ts`,
      [
        'a router that is mounted twice counts twice',
        'if (earlier !== undefined) return { ...uncounted, decision: earlier }\n',
        '',
        'one request is charged as often as its router is mounted',
      ],
      [
        'a settlement that failed is silent',
        "this.limiter.warned?.({\n        code: 'SLUICE_SETTLE_FAILED'",
        "void ({\n        code: 'SLUICE_SETTLE_FAILED'",
        'charges stay, and nobody knows why',
      ],
      [
        'who has gone is counted as a stranger',
        'if (view.address === undefined && state.gone) return gone\n',
        '',
        'clients that hang up use up the count of requests without an address',
      ],
    ),
  ),
  ...noticedBy(
    { tests: suite, named: 'settling|hang-ups|aborts|reset' },
    inFile(
      `${folder}/ending.ts`,
      [
        'an answer that was broken off says 499',
        'if (aborted && (!raw.headersSent || isUnsent(raw))) return',
        'if (aborted) return',
        'settle gets another status than the client has seen',
      ],
      [
        'who hung up has had a success',
        'if (aborted && (!raw.headersSent || isUnsent(raw))) return { status: clientClosedRequest, aborted }\n',
        '',
        'settle charges a client that has had no answer',
      ],
      [
        'a stream that was reset is an answer',
        'endedAs(raw, !sent || !(isEnded(raw) || head))',
        'endedAs(raw, !sent)',
        'on HTTP/2 an abort counts as a finished answer',
      ],
    ),
  ),
  ...noticedBy(
    ['packages/fastify/test/in-flight.test.ts'],
    inFile('packages/fastify/src/in-flight.ts', [
      'a Web stream holds a place',
      'for (const work of all.works) work.sent()\n',
      '',
      'who hangs up while a Web stream is sent keeps a place until its lease ends',
    ]),
  ),
  ...noticedBy(
    ['packages/express/test/compressed.test.ts'],
    inFile(
      `${folder}/work.ts`,
      [
        'what is compressed behind a limiter is written as its client reads',
        ' && first.#written === raw.write\n',
        '\n',
        'a handler that works on without its client does so beside as many as the limit',
      ],
      [
        'what is compressed before a limiter is written as its client reads',
        'const isOurs = first.#listeners > 0 && ',
        'const isOurs = ',
        'a handler that works on without its client does so beside as many as the limit',
      ],
      [
        'an answer that is compressed holds a place',
        '() => all((work) => work.sent())',
        '() => {}',
        'behind `compression` who hangs up keeps a place until its lease ends',
      ],
    ),
    inFile(`${folder}/silent-ends.ts`, [
      'who ends an answer behind a limiter, and later, is not heard',
      'if (end === undefined) return\n',
      "if (end === undefined || !Object.hasOwn(raw, 'end')) return\n",
      'before a session who hangs up keeps a place until its lease ends',
    ]),
  ),
  ...noticedBy(
    { tests: suite, named: 'an answer' },
    inFile(`${folder}/handle.ts`, [
      'a refusal goes on inside an answer',
      'if (raw.headersSent && !raw.writableEnded) raw.destroy()\n',
      'if (raw.headersSent && !raw.writableEnded) return outcome\n',
      'a client takes the beginning of an answer for a whole one',
    ]),
  ),
  ...noticedBy(
    { tests: suite, named: 'slowed down' },
    inFile(`${folder}/slow-down.ts`, [
      'who has gone sleeps',
      'ms === 0 || state.gone || ',
      'ms === 0 || ',
      'clients that hang up early take the places of those that may sleep',
    ]),
  ),
  ...noticedBy(
    { tests: suite, named: 'head alone' },
    inFile(`${folder}/silent-ends.ts`, [
      'a request for the head alone is over before it is answered',
      '(!headRequest || sentHeaders !== undefined)',
      'true',
      'on HTTP/2 such a request that waits for its turn is answered with 499',
    ]),
    inFile(`${folder}/silent-ends.ts`, [
      'nobody looks whether a head was sent',
      '    open.lookAt()\n',
      '',
      'who never ends such a request holds a place until its client leaves',
    ]),
  ),
  ...noticedBy(
    { tests: suite, named: 'in flight' },
    inFile(
      `${folder}/work.ts`,
      [
        'a place is free while its handler runs',
        'if (this.#running > 0) return\n    this.#readers.delete(this)\n    if (this.#handled)',
        'this.#readers.delete(this)\n    if (this.#handled)',
        'clients that hang up start more work than the limit',
      ],
      [
        'who waits for the rest of a request is renewed without its client',
        'else if (isEnded(this.answer) && req.complete === false) this.#lapseWhereRunning()',
        '',
        'clients that hang up while they send take all places for ever',
      ],
      [
        'a pipe that was broken off holds a place',
        'taken || piped || this.#isPaced || isEnded(this.answer)',
        'taken || this.#isPaced || isEnded(this.answer)',
        'a place stays taken until its lease ends',
      ],
      [
        'a stream without a client holds a place',
        'if (this.#closed) this.sent()\n    else {',
        'if (!this.#closed) {',
        'who hangs up before a stream begins keeps a place until its lease ends',
      ],
    ),
  ),
  ...noticedBy(
    ['packages/koa/test/koa3.test.ts'],
    inFile(`${folder}/work.ts`, [
      'a handler that waits for a pipeline without a client is renewed',
      'taken || (piped && this.answer.stream !== undefined)',
      'taken',
      'who resets a stream of HTTP/2 in the middle has its place for ever',
    ]),
  ),
  ...noticedBy(
    ['packages/fastify/test/in-flight.test.ts'],
    inFile(
      `${folder}/work.ts`,
      [
        'a handler that waits for drain is renewed without its client',
        ' || (this.#stuck && !piped)',
        '',
        'who stops to read events and hangs up has a place for ever',
      ],
      [
        'a handler that begins to wait for drain behind its client is renewed',
        'if (this.#closed && !flows) this.#lapseWhereRunning()\n',
        '',
        'who hangs up between two events has a place for ever',
      ],
      [
        'what was read is taken for unread',
        '    this.#stuck = false\n',
        '',
        'who reads all and hangs up starts more work than the limit',
      ],
    ),
  ),
  ...noticedBy(
    [`${test}/streams.test.ts`],
    inFile(`${folder}/silent-ends.ts`, [
      'who resets a request for the head alone is heard of late',
      "stream?.once?.('close', lookAt)\n",
      '',
      'with maxWait such a client takes a place for up to a second',
    ]),
    inFile(`${folder}/work.ts`, [
      'a pipe that is broken off on HTTP/2 holds a place',
      'if (this.#closed || !isClosed(this.answer)) return\n',
      'return\n',
      'who hangs up while a stream is sent keeps a place until its lease ends',
    ]),
    inFile(
      `${folder}/ending.ts`,
      [
        'what is sent past the response is an abort',
        'return stream.writableEnded === true && stream.aborted !== true && stream.headRequest !== true',
        'return false',
        'each file that is sent holds a place until its lease ends',
      ],
      [
        'a request for the head alone is over at once',
        ' && stream.headRequest !== true',
        '',
        'requests for the head alone start more work than the limit',
      ],
    ),
  ),
  ...noticedBy(
    // Each test that notices it waits in vain until its time is over.
    { tests: [`${test}/guard-request.test.ts`], named: 'reset ahead of its answer' },
    inFile(`${folder}/silent-ends.ts`, [
      'nobody hears that an answer on HTTP/2 is ended without its client',
      'if (end === undefined) return\n',
      'if (end === undefined || raw.stream !== undefined) return\n',
      'who resets its streams keeps places until their leases end',
    ]),
  ),
  ...noticedBy(
    [`${test}/piped.test.ts`],
    inFile(
      `${folder}/work.ts`,
      [
        'a stream that has broken off is renewed',
        "source.once('close', () => all((work) => work.#lose(source)))\n",
        '',
        'a client that waits for the rest of an answer has its place for ever',
      ],
      [
        'a stream that goes on for another is not renewed',
        'if (this.#source?.destroyed) decisions.keepLeases(this.#decision)\n',
        '',
        'more than the limit are in flight',
      ],
    ),
    inFile(`${folder}/silent-ends.ts`, [
      'who leaves a loop over a body has broken its request off',
      'if (!req?.socket || ',
      'if (!req || ',
      'once its client has gone, such a handler works on beside as many as the limit',
    ]),
  ),
  ...noticedBy(
    { tests: suite, named: 'unread' },
    inFile(`${folder}/slow-readers.ts`, [
      'a slow reader is a dead one',
      'const hasTaken = taken > this.#taken || drained',
      'const hasTaken = drained',
      'a client that reads slowly loses its place',
    ]),
  ),
  ...noticedBy(
    [`${test}/ending.test.ts`],
    inFile(`${folder}/lists-by-key.ts`, [
      'each who waits for an end listens',
      'const known = lists.get(key)',
      'const known = undefined as T[] | undefined',
      'Node warns of a leak on Koa, at each stream behind several limiters',
    ]),
    inFile(`${folder}/silent-ends.ts`, [
      'a queued response that is sent is unsent',
      "if (without === 'queued') raw.once('socket', () => all.set(raw, 'detached'))\n",
      '',
      'settle charges nothing for an answer that was sent behind another one',
    ]),
    inFile(`${folder}/silent-ends.ts`, [
      'an answer without a head was sent',
      'const isSent = raw.writableFinished === true && raw.headersSent !== false\n',
      'const isSent = raw.writableFinished === true\n',
      'with express-ws, an upgrade that is answered without a body keeps its place for ever',
    ]),
  ),
  ...noticedBy(
    [`${test}/rules.test.ts`],
    inFile(`${folder}/rules.ts`, [
      'another part of IPv6 is the default',
      'ipv6Prefix = 64',
      'ipv6Prefix = 56',
      'neighbours share a count where the page says that they do not',
    ]),
  ),
]
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: these are pieces of code
