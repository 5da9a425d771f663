import { describeAdapter } from '@sluice/conformance/adapter'
import { onFastify, startOn } from './start.ts'

describeAdapter('Nest on Fastify', startOn(onFastify), [
  { scenario: "15: an error's own status and fields", reason: "Nest's filters know no fields of an error" },
  {
    scenario: 'a request whose body never comes',
    reason: 'Fastify reads a body before it calls the handler, where guards run',
  },
  {
    scenario: 'a request whose body breaks off',
    reason: 'Fastify reads a body before it calls the handler, where guards run',
  },
])
