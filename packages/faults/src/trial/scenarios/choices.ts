import type { Proxied } from '../places.ts'
import type { Trial } from '../trial.ts'
import { killed } from './gone.ts'

export const denied: Trial<Proxied> = {
  ...killed,
  title: "a server that is killed, where everybody is refused meanwhile ('deny')",
  frameworks: ['fastify'],
  choices: { onStoreFailure: 'deny' },
  bounds: { limits: 2, because: 'the server has lost what it had, once' },
}

export const allowed: Trial<Proxied> = {
  ...killed,
  title: "a server that is killed, where everybody is admitted meanwhile ('allow')",
  frameworks: ['koa'],
  choices: { onStoreFailure: 'allow' },
}
