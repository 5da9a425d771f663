import { behindProxy, notYetThere, type Proxied, type Unproxied } from '../places.ts'
import { frameworks } from '../settings.ts'
import type { Trial } from '../trial.ts'

export const killed: Trial<Proxied> = {
  title: 'a server that is killed and comes back empty',
  frameworks,
  place: behindProxy,
  forgets: true,
  async befall({ place: { server } }) {
    await server.kill()
    return () => server.start()
  },
}

export const stopped: Trial<Proxied> = {
  title: 'a server that is stopped and goes on',
  frameworks,
  place: behindProxy,
  async befall({ place: { server } }) {
    server.hang()
    return async () => server.goOn()
  },
}

export const late: Trial<Unproxied> = {
  title: 'a server that starts after those that count on it',
  frameworks,
  place: notYetThere,
  befallsFirst: true,
  async befall({ place: { server } }) {
    return () => server.start()
  },
}
