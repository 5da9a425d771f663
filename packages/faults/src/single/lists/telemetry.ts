import { inFile } from '../fault.ts'
import { type GuardedFault, noticedBy } from '../guarded.ts'

const folder = 'packages/telemetry/src'
const test = 'packages/telemetry/test'
const counted = [
  `${test}/prometheus-buckets.test.ts`,
  `${test}/counted.test.ts`,
  `${test}/recorder.test.ts`,
  `${test}/prometheus.test.ts`,
  `${test}/events.test.ts`,
]

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: these are pieces of code
/** What is counted, recorded and exported. */
export const telemetryFaults: readonly GuardedFault[] = [
  ...noticedBy(
    counted,
    inFile('packages/core/src/decision/limiter-decision.ts', [
      'several verdicts are counted as one',
      "return !('checks' in this.#behind)",
      'return true',
      'of several policies only the binding one has hits',
    ]),
    inFile(
      `${folder}/ledger.ts`,
      [
        'what an allowing level has taken is not counted',
        'if (mayHaveCharged) this.#addCharged(decision, limiter, group)\n',
        '',
        'charts show fewer hits than the store has',
      ],
      [
        'seven of a hundred are not seven',
        'limit - remaining >= limit * share - rounding',
        'limit - remaining >= limit * share',
        'a metric counts from eight on where seven was set',
      ],
      [
        'a deny list is an outage',
        "source === 'fallback' || (source === 'none' && (allowed || reason === 'store-unavailable'))",
        "source === 'fallback' || source === 'none'",
        'an alert rings for clients that are denied',
      ],
      [
        'a look without a store has a duration',
        'if (durationMs > 0) limiter.timings.of(source).add(durationMs)',
        'limiter.timings.of(source).add(durationMs)',
        'a latency looks better the more decisions ask no store',
      ],
      [
        'what shadow policies refuse is not counted',
        'if (shadow) limiter.policies.of(shadow.policy).shadowRefusals++\n',
        '',
        'a limit that is tried out looks as if it refused nobody',
      ],
      [
        'what is decided without the store is near a limit',
        "const isCounted = allowed && source !== 'none' && source !== 'fallback'",
        "const isCounted = allowed && source !== 'none'",
        'in an outage an alert says that clients use their limits up',
      ],
      [
        'what a shadow policy refuses is near its limit',
        'if (isCounted && verdict.allowed && isNear',
        'if (isCounted && isNear',
        'a limit that is tried out is near for each request that it would refuse',
      ],
      [
        'a gate is near its limit',
        'return limit !== 1 && limit',
        'return limit',
        'every caller of a limit of one is near it',
      ],
      [
        'what was refused is a hit',
        'if (allowed) units.hits += verdict.cost',
        'units.hits += verdict.cost',
        'a chart shows more hits than a limit admits',
      ],
      [
        'decisions without the store are as any',
        'limiter.withoutStore++\n',
        '',
        'nobody sees that an outage lets more pass',
      ],
      [
        'kinds of requests have no bound',
        'if (!this.#rooms.groups.take()) return this.#units\n',
        '',
        'a program that names each request fills the memory of Prometheus',
      ],
      [
        'refused units are requests',
        'else units.refused += cost',
        'else units.refused++',
        'of a request for a hundred tokens a chart shows one',
      ],
      [
        'a level that took nothing is counted',
        "if (!row.allowed || row.receipt === '' || cost === 0) continue",
        'if (!row.allowed || cost === 0) continue',
        'charts show more hits than the store has',
      ],
      [
        'a correction goes the other way',
        "policies.of(policy).unitsOf(''), units)",
        "policies.of(policy).unitsOf(''), -units)",
        'what is given back is shown as used',
      ],
    ),
    inFile(
      `${folder}/measures.ts`,
      [
        'looks are decisions',
        "if (operation !== 'peek') this.#ledger.add(decision, durationMs, kind)",
        "this.#ledger.add(decision, durationMs, operation === 'peek' ? '' : kind)",
        'metrics count what took nothing',
      ],
      [
        'a limiter is shown from its first decision on',
        'this.#ledger.limiters.of(limiter.name)\n',
        '',
        'the first fallback decision of a process is no increase of a counter',
      ],
      [
        'a store is shown from its first failure on',
        'this.#stores.open(limiter.health().store)\n',
        '',
        'the first failure of a store is no increase of a counter, and no alert rings',
      ],
    ),
    inFile(
      `${folder}/prometheus-buckets.ts`,
      [
        'a bound belongs to the next bucket',
        'if (ms > (boundsMs[i] ?? 0)) continue',
        'if (ms >= (boundsMs[i] ?? 0)) continue',
        'le says less than it holds',
      ],
      [
        'a sum is in milliseconds',
        'value: this.#sumMs / 1000',
        'value: this.#sumMs',
        'a mean latency is a thousand times too long',
      ],
      ['buckets are not cumulative', 'total += count\n', 'total = count\n', 'quantiles are nonsense'],
    ),
    inFile(`${folder}/store-counts.ts`, [
      'a shared store fails twice',
      'if (event === this.#last) return\n',
      '',
      'two limiters on a store double its failures',
    ]),
    inFile(`${folder}/bounded.ts`, [
      'names have no bound',
      'const kept = this.#room.take() ? name : rest',
      'const kept = this.#room.take() ? name : name',
      'a program that makes names fills its memory and that of Prometheus',
    ]),
    inFile(`${folder}/open-limiters.ts`, [
      'a closed limiter takes its counts along',
      'if (ahead !== undefined) this.#aheadBefore.of(limiter.name).decisions += ahead.decisions\n',
      '',
      'a counter becomes less, and shows a rate of millions',
    ]),
    inFile(
      `${folder}/writer.ts`,
      [
        'counts are those of the next second',
        'this.#ledger.takeOut(this.#second, this.#pending.samples)\n      this.#second = second',
        'this.#second = second\n      this.#ledger.takeOut(this.#second, this.#pending.samples)',
        'a chart shows requests a second late',
      ],
      [
        'what was lost is not counted',
        'this.#lostUnits += units\n',
        '',
        'nobody sees that a chart has holes',
      ],
    ),
    inFile(`${folder}/recording.ts`, [
      'who watches a recorder reads the time again',
      'return this.#countedMs ?? this.#writer.nowMs()',
      'return this.#writer.nowMs()',
      'after an outage a page shows a decision in two seconds, and so twice',
    ]),
    inFile(`${folder}/store-time.ts`, [
      'time goes back',
      'if (nowMs > this.#lastMs) this.#lastMs = nowMs\n    return this.#lastMs',
      'this.#lastMs = nowMs\n    return this.#lastMs',
      'counts of a second are written to an earlier one as answers jitter',
    ]),
    inFile(`${folder}/pending.ts`, [
      'old counts wait for ever',
      'const earliest = nowSecond - maxAgeSeconds',
      'const earliest = nowSecond - maxAgeSeconds * 1000',
      'a recorder without its sink fills the memory',
    ]),
  ),
  ...noticedBy(
    [`${test}/sinks/memory.test.ts`, `${test}/sinks/hash.redis.test.ts`, `${test}/sinks/time-series.test.ts`],
    inFile(
      `${folder}/hash-sink.ts`,
      [
        'a slice ends before its last second',
        'const endMs = (slice + sliceSeconds + this.#retentionSeconds) * 1000',
        'const endMs = (slice + this.#retentionSeconds) * 1000',
        'the last two minutes of a retention are gone',
      ],
      [
        'the running slice is not read',
        'const end = Math.min(toSecond, nowSecond + sliceSeconds)',
        'const end = Math.min(toSecond, nowSecond - sliceSeconds)',
        'a chart lacks its last two minutes',
      ],
    ),
    inFile(`${folder}/redis-sink.ts`, [
      'a server without COMMAND is away',
      'if (!isUnknownCommand(error) && !inRedis.isForbidden(error)) throw error',
      'if (!inRedis.isForbidden(error)) throw error',
      'where that command is renamed, nothing is recorded',
    ]),
    inFile(`${folder}/memory-sink.ts`, [
      'a series that goes on is the oldest',
      'this.#series.delete(series)\n    this.#series.set(series, kept)',
      'this.#series.set(series, kept)',
      'of too many series a busy one is forgotten',
    ]),
    inFile(`${folder}/span.ts`, [
      'the end of a span is inside',
      'const isInside = second >= fromSecond && second < toSecond',
      'const isInside = second >= fromSecond && second <= toSecond',
      'a query answers one bucket more than it has',
    ]),
    inFile(`${folder}/safe-label.ts`, [
      'signs are escaped as they are',
      ".toString(16).padStart(2, '0')}`)",
      '.toString(16)}`)',
      'a name with a line end cannot be read again',
    ]),
  ),
  ...noticedBy(
    [`${test}/recorded-traffic.test.ts`],
    inFile(
      `${folder}/traffic/key-sample.ts`,
      [
        'the bound is inside',
        'if (hash >= this.#bound) return ended',
        'if (hash > this.#bound) return ended',
        'processes choose different keys',
      ],
      ['a slot’s requests are one', 'latest.requests++\n', '', 'recorded traffic is calmer than it was'],
    ),
    inFile(`${folder}/traffic/recorded-traffic.ts`, [
      'keys of a part of the time are whole',
      '.filter(({ hash }) => hash < share * 2 ** 32)',
      '.filter(({ hash }) => hash < 2 ** 32)',
      'a suggested limit is too low, as keys were seen for a part of the time',
    ]),
  ),
  ...noticedBy(
    [`${test}/opentelemetry.test.ts`],
    inFile(`${folder}/opentelemetry.ts`, [
      'a wait is in milliseconds',
      'attributes.retry_after = retryAfterMs / 1000',
      'attributes.retry_after = retryAfterMs',
      'a span says a wait that is a thousand times too long',
    ]),
  ),
  ...noticedBy(
    [`${test}/prometheus-register.test.ts`],
    inFile(`${folder}/measures.ts`, [
      'an age is in milliseconds',
      '(oldestMs ?? 0) / 1000',
      '(oldestMs ?? 0)',
      'an alert rings for a queue whose oldest job is a second old',
    ]),
    inFile(
      `${folder}/queue-healths.ts`,
      [
        'a queue is asked for each of its metrics',
        'this.#asked.set(queue, asked)\n',
        '',
        'a scrape asks Redis five times about each queue',
      ],
      [
        'a queue that fails takes all metrics along',
        '} catch {\n    return undefined\n  }',
        '} catch (error) {\n    throw error\n  }',
        'in an outage of one queue there are no metrics at all',
      ],
      [
        'a queue that two objects share is twice as long',
        '(_, other) => other)',
        '(one, other) => one + other)',
        'a chart shows twice the jobs that wait',
      ],
    ),
  ),
]
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: these are pieces of code
