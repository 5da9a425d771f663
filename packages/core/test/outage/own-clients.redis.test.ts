import { execFile as execFileWithCallback } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals'
import { bundled } from '@sluice/faults/bundle'
import {
  type Certificate,
  FaultyServer,
  makeCertificate,
  RedisProcess,
  speaksTls,
} from '@sluice/faults/outage'
import { Redis } from 'ioredis'
import { createLimiter, fixedWindow, type RedisOptions, redisStore, type Store } from '../../src/index.ts'
import { silent } from '../cluster/application.ts'
import { Admin, forms, Place } from './place.ts'
import { eventually, took } from './within.ts'

// Recovery takes its seconds.
const execFile = promisify(execFileWithCallback)

/** The deadline, and what a request may wait beyond it. */
const longestMs = 150

const open: Store[] = []
afterEach(async () => {
  for (const store of open.splice(0)) await store.close()
})

function limiterOn(options: RedisOptions) {
  const store = redisStore(options)
  open.push(store)
  const policy = fixedWindow({ limit: 3, window: '1h' })
  return createLimiter({ name: randomBytes(4).toString('hex'), store, policy, logger: silent })
}

type Asked = ReturnType<typeof limiterOn>

/** Who decides about a key that nobody has; the answer comes in time, and lets it pass. */
async function source(limiter: Asked): Promise<string> {
  const { value, ms } = await took(() => limiter.check(randomBytes(6).toString('hex')))
  expect(ms).toBeLessThanOrEqual(longestMs)
  expect(value.allowed).toBe(true)
  return value.source
}

const uses = (limiter: Asked) => eventually(async () => (await source(limiter)) === 'redis')
const misses = (limiter: Asked) => eventually(async () => (await source(limiter)) === 'fallback')

const fails = () => {
  throw new Error('the secrets are away')
}
const sendAway = ['CLIENT KILL TYPE normal SKIPME yes', 'CLIENT KILL TYPE pubsub SKIPME yes']

describe.each(forms)('a password, with a client made from { %s }', (form) => {
  let place: Place
  let admin: Admin
  beforeAll(async () => {
    place = await Place.start(form)
    admin = new Admin(place.server.port)
    if (form === 'cluster') await admin.formCluster()
  })
  afterAll(() => {
    admin.end()
    return place.end()
  })

  it('that is wrong, and the right one later, as the server has changed', async () => {
    await admin.say('CONFIG SET requirepass right')
    const limiter = limiterOn({ ...place.options, password: 'wrong' })
    await limiter.ready()
    expect(await source(limiter)).toBe('fallback')
    await admin.say('CONFIG SET requirepass wrong')
    await uses(limiter)
  })

  it('of a user, asked at each connection, heals when it changes, whatever an answer was before', async () => {
    await admin.say('ACL SETUSER app on >first ~* &* +@all')
    let asked = 0
    let password = () => 'first'
    const limiter = limiterOn({
      ...place.options,
      username: 'app',
      password: () => {
        asked++
        return password()
      },
    })
    await uses(limiter)
    for (const answer of [() => 'first', fails]) {
      password = answer
      asked = 0
      await admin.say('ACL SETUSER app resetpass >second', ...sendAway)
      await eventually(() => asked > 0)
      expect(await source(limiter)).toBe('fallback')
    }
    password = () => 'second'
    await uses(limiter)
  })
})

describe('a URL', () => {
  let place: Place
  beforeAll(async () => {
    place = await Place.start('url', [
      '--user',
      'app',
      'on',
      '>right',
      '~*',
      '&*',
      '+@all',
      '--user',
      'default',
      'off',
    ])
  })
  afterAll(() => place.end())

  // biome-ignore format: a table
  it.each<[string, object]>([
    // who the URL says   beside it
    ['app:right@',        {}],
    ['app:wrong@',        { password: 'right' }],
    ['app@',              { password: () => 'right' }],
    ['eve:right@',        { username: 'app' }],
    ['',                  { username: 'app', password: 'right' }],
  ])('with %s gives way to the options %j', async (who, beside) => {
    await uses(limiterOn({ url: place.server.url.replace('//', `//${who}`), ...beside }))
  })
})

const withTls = speaksTls() ? describe : describe.skip

withTls.each(forms)(
  'TLS (skipped where redis-server or openssl lacks it), with a client made from { %s }',
  (form) => {
    let certificate: Certificate
    let place: Place
    beforeAll(async () => {
      certificate =
        form === 'cluster'
          ? makeCertificate('DNS:localhost')
          : makeCertificate('DNS:localhost', 'IP:127.0.0.1')
      const files = ['--tls-cert-file', certificate.file, '--tls-key-file', certificate.keyFile]
      const trust = ['--tls-ca-cert-file', certificate.file, '--tls-auth-clients', 'no']
      const among = form === 'cluster' ? ['--tls-cluster', 'yes'] : ['--tls-replication', 'yes']
      place = await Place.start(form, [...files, ...trust, ...among])
      const admin = new Admin(place.server.port, certificate.options)
      if (form === 'cluster') await admin.formCluster()
      admin.end()
    })
    afterAll(async () => {
      await place.end()
      certificate.remove()
    })

    it('reaches a server whose certificate is trusted', async () => {
      await uses(limiterOn({ ...place.options, tls: certificate.options }))
    })

    // biome-ignore format: a table
    it.each<[string, () => string]>([
      ['cannot be read',  fails],
      ['is half written', () => certificate.options.ca.slice(0, 100)],
    ])('reaches a server although a file %s now and then while it connects', async (_what, bad) => {
      const { ca } = certificate.options
      let asked = 0
      const tls = {
        ca,
        get cert() {
          asked++
          return asked % 2 === 1 && asked < 6 ? bad() : undefined
        },
      }
      const limiter = limiterOn({ ...place.options, tls })
      await limiter.ready()
      await uses(limiter)
    })

    it('reaches no server whose certificate is not', async () => {
      const limiter = limiterOn({ ...place.options, tls: {} })
      await limiter.ready()
      expect(await source(limiter)).toBe('fallback')
    })
  },
)

const servers: RedisProcess[] = []
const witnesses: Redis[] = []
afterAll(() => {
  for (const witness of witnesses) witness.disconnect()
  return Promise.all(servers.map((server) => server.end()))
})

async function started(made: Promise<RedisProcess>): Promise<RedisProcess> {
  const server = await made
  servers.push(server)
  await server.start()
  return server
}

describe('a master that is demoted', () => {
  it('is left for the master to which its address leads now', async () => {
    const old = await started(RedisProcess.prepare())
    const next = await started(RedisProcess.prepare())
    const address = new FaultyServer(old.port)
    await address.start()
    const limiter = limiterOn({ url: address.url })
    await uses(limiter)
    address.leadTo(next.port)
    const admin = new Admin(old.port)
    await admin.say(`REPLICAOF 127.0.0.1 ${next.port}`)
    admin.end()
    await misses(limiter)
    await uses(limiter)
    await address.end()
  })
})

describe('a program that closes its store', () => {
  const program = bundled(path.join(import.meta.dirname, 'ask-and-end.ts'))

  // biome-ignore format: a table
  it.each<[string, (sentinel: RedisProcess) => unknown]>([
    // Sentinel     how it comes to that
    ['is dead',     (sentinel) => sentinel.kill()],
    ['hangs',       (sentinel) => sentinel.hang()],
  ])('ends within a second where its Sentinel %s', async (_what, fail) => {
    const place = await Place.start('sentinels')
    await fail(place.sentinel)
    const line = [await program(), JSON.stringify(place.options)]
    const { stdout } = await execFile(process.execPath, line, { timeout: 8000 })
    expect(Date.now() - Number(stdout)).toBeLessThan(1000)
    await place.end()
  })
})

/** A master and its replica, which has caught up; a witness of the replica says who it is. */
async function pair() {
  const master = await started(RedisProcess.prepare())
  const replica = await started(RedisProcess.prepare(['--replicaof', '127.0.0.1', String(master.port)]))
  const witness = new Redis(replica.port)
  witnesses.push(witness)
  const says = async (what: string) => (await witness.info('replication')).includes(what)
  await eventually(() => says('master_link_status:up'), 15_000)
  return { master, witness, says }
}

describe('a master that a Sentinel watches', () => {
  it.each<[string, (master: RedisProcess) => unknown]>([
    ['dies', (master) => master.kill()],
    ['hangs', (master) => master.hang()],
  ])('and that %s is waited for by nobody, and used again where it has moved', async (_what, fail) => {
    const { master, says } = await pair()
    const sentinel = await started(RedisProcess.prepareSentinel(master))
    const hanging = await started(RedisProcess.prepareSentinel(master))
    hanging.hang()
    const sentinels = ['localhost:1', `localhost:${hanging.port}`, `localhost:${sentinel.port}`]
    const limiter = limiterOn({ sentinels, master: 'mymaster' })
    await limiter.ready()
    await uses(limiter)
    await fail(master)
    await misses(limiter)
    await eventually(async () => {
      await source(limiter)
      return says('role:master')
    }, 15_000)
    await uses(limiter)
  })

  it('and that is replaced while it is well is left at once, and for no other master', async () => {
    const [ours, other] = [await pair(), await pair()]
    const sentinel = await started(RedisProcess.prepareSentinel(ours.master))
    const admin = new Redis(sentinel.port)
    const told: string[] = []
    const listener = admin.duplicate().on('message', (_channel, text) => told.push(text))
    witnesses.push(admin, listener)
    await listener.subscribe('+switch-master')
    await admin.call('SENTINEL', 'MONITOR', 'other', '127.0.0.1', other.master.port, 1)
    const limiter = limiterOn({ sentinels: [`localhost:${sentinel.port}`], master: 'mymaster' })
    await uses(limiter)
    const replace = async (name: string) => {
      // A Sentinel that has not met the replica yet refuses.
      const asked = () => admin.call('SENTINEL', 'FAILOVER', name).catch(() => undefined)
      await eventually(async () => (await asked()) === 'OK', 15_000)
      await eventually(() => told.some((text) => text.startsWith(`${name} `)), 15_000)
    }
    await replace('other')
    for (let i = 0; i < 5; i++) expect(await source(limiter)).toBe('redis')
    expect(limiter.health().failures).toBe(0)
    await replace('mymaster')
    const before = await ours.witness.dbsize()
    await eventually(
      async () => (await source(limiter)) === 'redis' && (await ours.witness.dbsize()) > before,
    )
  })
})
