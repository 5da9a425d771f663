import type { RedisProcess } from '../../outage/redis-process.ts'
import {
  type Cure,
  changePassword,
  demote,
  failSaves,
  fill,
  forbid,
  occupy,
  reload,
  say,
} from '../../outage/troubles.ts'
import { behindProxy, type Proxied } from '../places.ts'
import { type Framework, frameworks } from '../settings.ts'
import type { Trial } from '../trial.ts'

/** Somebody other than the default user. */
const user = 'app'
const password = 'right'

async function withUser(): Promise<Proxied> {
  const place = await behindProxy(['--user', user, 'on', `>${password}`, '~*', '&*', '+@all'])
  return { ...place, redis: place.proxy.url.replace('//', `//${user}:${password}@`) }
}

interface Inability {
  readonly title: string
  readonly framework: Framework
  readonly befall: (server: RedisProcess) => Promise<Cure>
}

/** Something that the server itself says: it is there, and cannot answer. */
function unable({ title, framework, befall }: Inability): Trial<Proxied> {
  return { title, frameworks: [framework], place: withUser, befall: ({ place }) => befall(place.server) }
}

export const demoted: Trial<Proxied> = {
  title: 'a server that is demoted (READONLY) and promoted again',
  frameworks,
  place: withUser,
  befall: ({ place: { server } }) => demote(server, { port: 1 }),
}

export const full: Trial<Proxied> = unable({
  title: 'a server that is full (OOM) and has room again',
  framework: 'express',
  befall: fill,
})

export const busy: Trial<Proxied> = unable({
  title: 'a server with a script that does not end (BUSY) until it is killed',
  framework: 'fastify',
  befall: occupy,
})

export const loading: Trial<Proxied> = {
  ...unable({
    title: 'a server that loads its data (LOADING)',
    framework: 'koa',
    befall: (server) => reload(server, 2000),
  }),
  lastsMs: 0,
}

export const unsaved: Trial<Proxied> = unable({
  title: 'a server that cannot save (MISCONF) and then can',
  framework: 'express',
  befall: failSaves,
})

export const forbidden: Trial<Proxied> = unable({
  title: 'a user who may do nothing (NOPERM) and then may again',
  framework: 'fastify',
  befall: (server) => forbid(server, user),
})

export const unauthenticated: Trial<Proxied> = unable({
  title: 'a password that is changed and corrected',
  framework: 'koa',
  befall: (server) => changePassword(server, { user, password }),
})

export const flushed: Trial<Proxied> = {
  title: 'a server that forgets its scripts (SCRIPT FLUSH)',
  frameworks: ['express'],
  place: behindProxy,
  sees: 'nothing',
  bounds: { limits: 1, exactWithinMs: 0, because: 'they are sent again at once' },
  async befall({ place: { server } }) {
    await say(server, 'SCRIPT', 'FLUSH')
    return async () => void (await say(server, 'SCRIPT', 'FLUSH'))
  },
}
