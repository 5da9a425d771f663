import { setTimeout as elapse } from 'node:timers/promises'
import { behindProxy, type Proxied } from '../places.ts'
import { frameworks } from '../settings.ts'
import type { Trial } from '../trial.ts'

const nothing = async () => {}

export const cut: Trial<Proxied> = {
  title: 'connections that are cut',
  frameworks,
  place: behindProxy,
  lastsMs: 0,
  async befall({ place: { proxy } }) {
    proxy.cut()
    return nothing
  },
}

export const blackholed: Trial<Proxied> = {
  title: 'a network in which everything vanishes without a word',
  frameworks,
  place: behindProxy,
  async befall({ place: { proxy } }) {
    proxy.become({ fault: 'blackhole' })
    return async () => proxy.become({ fault: 'none' })
  },
}

export const delayed: Trial<Proxied> = {
  title: 'answers that come after the deadline',
  frameworks,
  place: behindProxy,
  async befall({ place: { proxy } }) {
    proxy.become({ fault: 'delay', ms: 300 })
    return async () => proxy.become({ fault: 'none' })
  },
}

/** How long the server is alternately unreachable and reachable. */
const flapMs = 700

async function flap({ proxy }: Proxied, times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    if (i > 0) await elapse(flapMs)
    await proxy.refuse()
    await elapse(flapMs)
    await proxy.start()
  }
}

export const flapping: Trial<Proxied> = {
  title: 'a server that is there and away in turn',
  frameworks,
  place: behindProxy,
  lastsMs: 0,
  async befall({ place }) {
    const over = flap(place, 3)
    return () => over
  },
}

export const halfClosed: Trial<Proxied> = {
  title: 'connections on which no more answers come',
  frameworks: ['express'],
  place: behindProxy,
  lastsMs: 0,
  async befall({ place: { proxy } }) {
    proxy.halfClose()
    return nothing
  },
}

export const answersLost: Trial<Proxied> = {
  title: 'connections that end before each tenth answer',
  frameworks: ['fastify'],
  place: behindProxy,
  async befall({ place: { proxy } }) {
    proxy.become({ fault: 'lose answers', every: 10 })
    return async () => proxy.become({ fault: 'none' })
  },
}

export const refused: Trial<Proxied> = {
  title: 'a server that nobody can connect to',
  frameworks: ['koa'],
  place: behindProxy,
  async befall({ place: { proxy } }) {
    await proxy.refuse()
    return () => proxy.start()
  },
}

/** Without a socketTimeout a client waits for its operating system, which gives a dead connection up after minutes. */
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
