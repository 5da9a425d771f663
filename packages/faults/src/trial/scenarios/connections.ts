import { behindProxy, type Proxied } from '../places.ts'
import { frameworks } from '../settings.ts'
import type { Trial } from '../trial.ts'

export const blackholed: Trial<Proxied> = {
  title: 'a network in which everything vanishes without a word',
  frameworks,
  place: behindProxy,
  async befall({ place: { proxy } }) {
    proxy.become({ fault: 'blackhole' })
    return async () => proxy.become({ fault: 'none' })
  },
}

/** Without a socketTimeout, a client waits for its operating system, which gives up a dead connection only after minutes. */
export const halfOpen: Trial<Proxied> = {
  title: 'connections that are dead to a client that does not notice',
  frameworks: ['express'],
  place: behindProxy,
  choices: { ownClient: true },
  async befall({ place: { proxy } }) {
    proxy.cutCables()
    return async () => proxy.cut()
  },
}
