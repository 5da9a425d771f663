import type { Observer } from '@sluice/core'
import { prometheus } from '@sluice/telemetry'
import { Registry } from 'prom-client'
import type { Answer } from './answer.ts'
import type { QueueBooth } from './queue-booth.ts'

/** The metrics at `/metrics`, for Prometheus. */
export interface Metrics {
  /** The observer of every limiter. */
  readonly observer: Observer
  read(): Promise<Answer>
}

export function metricsOf({ queue }: Pick<QueueBooth, 'queue'>): Metrics {
  const register = new Registry()
  return {
    observer: prometheus({ register, queues: [queue] }),
    async read() {
      const body = Buffer.from(await register.metrics())
      return {
        status: 200,
        headers: { 'Content-Type': register.contentType, 'Cache-Control': 'no-store' },
        body,
      }
    },
  }
}
