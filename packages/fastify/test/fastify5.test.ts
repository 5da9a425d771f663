import { describeAdapter } from '@sluice/conformance/adapter'
import { start } from './start.ts'

describeAdapter('Fastify 5', start, [
  { scenario: '44: each middleware', reason: 'a plugin is no middleware, and carries nothing' },
])
