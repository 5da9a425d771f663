import type { Logger, RedisClient } from '@sluice/core'
import { memorySink, type Recorder, recorder, redisSink } from '@sluice/telemetry'

/** The recording is stored where the counts are, so that all zoos on one Redis are shown together. */
export function openRecorder(redis: RedisClient | undefined, logger: Logger): Recorder {
  return recorder(redis === undefined ? memorySink() : redisSink({ redis }), { logger })
}
