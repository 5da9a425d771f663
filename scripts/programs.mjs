// What the tests start beside Node.
import { program } from './apt.mjs'

export const redisServer = () => program('redis-server', { variable: 'SLUICE_REDIS_SERVER' })
export const chromium = () => program('chromium', { variable: 'SLUICE_CHROMIUM' })
export const prometheus = () => program('prometheus', { variable: 'SLUICE_PROMETHEUS' })
export const promtool = () => program('promtool', { variable: 'SLUICE_PROMTOOL', debian: 'prometheus' })
