import { afterEach, describe, expect, it } from '@jest/globals'
import { context, type Span, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  AggregationTemporality,
  DataPointType,
  InMemoryMetricExporter,
  MeterProvider,
  type MetricData,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { describeOptions, never } from '@sluice/conformance/options'
import { createLimiter, fixedWindow, memoryStore, type Observer, type Store } from '@sluice/core'
import { Registry } from 'prom-client'
import { opentelemetry, prometheus } from '../src/index.ts'
import { metricKeys, metrics, opentelemetryName, prometheusName } from '../src/metric-list.ts'
import { sources, traffic } from './traffic.ts'

const policy = fixedWindow({ limit: 2, window: '1h' })

/** An SDK that keeps what it collects. */
function collecting() {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 30 })
  const provider = new MeterProvider({ readers: [reader] })
  return {
    meter: provider.getMeter('test'),
    async collect(): Promise<readonly MetricData[]> {
      exporter.reset()
      await provider.forceFlush()
      return exporter
        .getMetrics()
        .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics))
    },
  }
}

type Numbers = ReadonlyMap<string, number>

function key(labels: object): string {
  return JSON.stringify(Object.entries(labels).sort())
}

describe('the metrics', () => {
  it('are those of Prometheus, with the same numbers under the same labels', async () => {
    const register = new Registry()
    const sdk = collecting()
    const close = await traffic([
      prometheus({ register, ...sources }),
      opentelemetry({ meter: sdk.meter, ...sources }),
    ])
    const collected = new Map((await sdk.collect()).map((data) => [data.descriptor.name, data]))
    const exposed = new Map((await register.getMetricsAsJSON()).map((metric) => [metric.name, metric]))
    for (const metric of metricKeys.map((each) => metrics[each])) {
      if (metric.kind === 'histogram') continue
      const one: Numbers = new Map(
        (exposed.get(prometheusName(metric))?.values ?? []).map(({ labels, value }) => [key(labels), value]),
      )
      const other: Numbers = new Map(
        (collected.get(opentelemetryName(metric))?.dataPoints ?? []).map(({ attributes, value }) => [
          key(attributes),
          value as number, // no histogram
        ]),
      )
      expect([metric.name, one.size]).not.toEqual([metric.name, 0])
      expect([metric.name, other]).toEqual([metric.name, one])
    }
    await close()
  })

  it('have the kinds and units of the list', async () => {
    const sdk = collecting()
    const close = await traffic([opentelemetry({ meter: sdk.meter, ...sources })])
    const kinds = {
      counter: DataPointType.SUM,
      gauge: DataPointType.GAUGE,
      histogram: DataPointType.HISTOGRAM,
    }
    const collected = (await sdk.collect()).map(({ descriptor, dataPointType }) => [
      descriptor.name,
      descriptor.unit,
      descriptor.description,
      dataPointType,
    ])
    expect(collected.sort()).toEqual(
      metricKeys
        .map((each) => metrics[each])
        .map((metric) => [opentelemetryName(metric), metric.unit, metric.help, kinds[metric.kind]])
        .sort(),
    )
    await close()
  })

  it('take one duration in sixteen of each source, the first one always', async () => {
    const sdk = collecting()
    const observer = opentelemetry({ meter: sdk.meter })
    const decision = await createLimiter({ policy }).check('bob')
    const about = { operation: 'check', durationMs: 2 } as const
    for (let i = 0; i < 32; i++) observer.decided?.(decision, about)
    for (let i = 0; i < 33; i++) observer.decided?.({ ...decision, source: 'redis' }, about)
    const durations = (await sdk.collect()).find(
      ({ descriptor }) => descriptor.name === 'sluice.decision.duration',
    )
    expect(durations?.dataPoints.map(({ attributes, value }) => [attributes.source, value])).toEqual([
      ['memory', expect.objectContaining({ count: 2, sum: 0.004 })],
      ['redis', expect.objectContaining({ count: 3, sum: 0.006 })],
    ])
  })
})

describe('the active span', () => {
  const spans = new InMemorySpanExporter()
  const tracer = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }).getTracer(
    'test',
  )
  context.setGlobalContextManager(new AsyncLocalStorageContextManager())
  afterEach(() => spans.reset())

  /** The events of a request in which this is done. */
  async function eventsOf(request: () => Promise<unknown>) {
    const span: Span = tracer.startSpan('request')
    await context.with(trace.setSpan(context.active(), span), request)
    span.end()
    return spans
      .getFinishedSpans()
      .flatMap(({ events }) => events.map(({ name, attributes }) => ({ name, attributes })))
  }

  it('gets a refusal, without the key', async () => {
    const store: Store = {
      ...memoryStore(),
      answer: async (question) => inner.answer(question),
      close: async () => {},
    }
    const inner = memoryStore()
    const limiter = createLimiter({ name: 'api', policy, store, observers: [opentelemetry()] })
    const events = await eventsOf(async () => {
      for (let i = 0; i < 3; i++) await limiter.check('bob@example.com')
    })
    expect(events).toEqual([
      {
        name: 'sluice.refused',
        attributes: { limiter: 'api', policy: 'default', reason: 'limited', retry_after: expect.any(Number) },
      },
    ])
    const [{ attributes }] = events as [(typeof events)[0]] // there is one
    expect(Number(attributes?.retry_after)).toBeGreaterThan(3590)
    expect(Number(attributes?.retry_after)).toBeLessThanOrEqual(3600)
    await limiter.close()
  })

  it('gets no wait where waiting never helps', async () => {
    const limiter = createLimiter({ policy, observers: [opentelemetry()] })
    expect(await eventsOf(() => limiter.check('bob', { cost: 3 }))).toEqual([
      { name: 'sluice.refused', attributes: { limiter: 'default', policy: 'default', reason: 'too-costly' } },
    ])
    await limiter.close()
  })

  it('gets nothing of what is allowed, or only looked at', async () => {
    const limiter = createLimiter({ policy, observers: [opentelemetry()] })
    const events = await eventsOf(async () => {
      await limiter.check('bob', { cost: 2 })
      await limiter.peek('bob')
    })
    expect(events).toEqual([])
    await limiter.close()
  })

  it('need not be there, nor an SDK', async () => {
    const limiter = createLimiter({ policy, observers: [opentelemetry()] })
    for (let i = 0; i < 3; i++) expect((await limiter.check('bob')).allowed).toBe(i < 2)
    await limiter.close()
  })
})

describeOptions<Observer>({
  name: 'opentelemetry',
  right: { meter: collecting().meter, nearLimit: 0.8, queues: [], sheddings: [] },
  places: {
    meter: never,
    nearLimit: (value) => typeof value === 'number' && value > 0 && value <= 1,
    queues: (value) => typeof value === 'function' || (Array.isArray(value) && value.length === 0),
    sheddings: (value) => Array.isArray(value) && value.length === 0,
  },
  make: (options) => opentelemetry(options),
  async judge(observer) {
    const limiter = createLimiter({ policy, observers: [observer] })
    expect((await limiter.check('bob')).allowed).toBe(true)
    await limiter.close()
  },
})
