import { afterEach, describe, expect, it } from '@jest/globals'
import { addSlots, makeCertificate, RedisProcess, speaksTls, until } from '@sluice/faults'
import { Redis } from 'ioredis'
import { folderWith, sluiceWith } from '../sluice.ts'

const folder = folderWith({})
const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

async function started(made: Promise<RedisProcess>): Promise<RedisProcess> {
  const server = await made
  ends.push(() => server.end())
  await server.start()
  return server
}

/** How a command reaches a server that is started with these options. */
const ways = {
  async url(options: readonly string[]) {
    const { port } = await started(RedisProcess.prepare(options))
    return ['--url', `redis://localhost:${port}`]
  },
  async sentinel(options: readonly string[]) {
    const master = await started(RedisProcess.prepare(options))
    const { port } = await started(RedisProcess.prepareSentinel(master, options))
    return ['--sentinel', `localhost:${port}`, '--master', 'mymaster']
  },
  async cluster(options: readonly string[]) {
    const named = [
      '--cluster-announce-hostname',
      'localhost',
      '--cluster-preferred-endpoint-type',
      'hostname',
    ]
    const { port } = await started(RedisProcess.prepareForCluster([...named, ...options]))
    // The certificate is of no interest here.
    const admin = new Redis({ port, ...(options.length > 0 && { tls: { rejectUnauthorized: false } }) })
    await addSlots(admin, 0, 16_383)
    await until(async () => (await admin.cluster('INFO')).includes('cluster_state:ok'), {
      what: 'the cluster',
    })
    admin.disconnect()
    return ['--cluster', `localhost:${port}`]
  },
}
const names = ['url', 'sentinel', 'cluster'] as const

/** A command that writes, and one that reads what it wrote. */
async function works(...connection: readonly string[]): Promise<void> {
  // A Sentinel knows its master a moment after it has begun.
  await until(async () => (await sluiceWith({}, folder, 'lists', ...connection)).code === 0, {
    what: 'Redis',
  })
  expect(await sluiceWith({}, folder, 'deny', 'bob', '1h', ...connection)).toMatchObject({
    code: 0,
    // Nothing runs here that would obey the list.
    stderr: 'warning: no process has written here within the last 15 s\n',
  })
  const { stdout } = await sluiceWith({}, folder, 'lists', '--json', ...connection)
  expect(JSON.parse(stdout)).toMatchObject([{ list: 'deny', key: 'bob' }])
}

it.each(names)('--%s reaches Redis', async (name) => works(...(await ways[name]([]))))

const withTls = speaksTls() ? describe : describe.skip

withTls('TLS (skipped where redis-server or openssl lacks it)', () => {
  it.each(names)('--%s with --ca reaches Redis, and without it none', async (name) => {
    const certificate = makeCertificate('DNS:localhost', ...(name === 'cluster' ? [] : ['IP:127.0.0.1']))
    ends.push(() => certificate.remove())
    const files = ['--tls-cert-file', certificate.file, '--tls-key-file', certificate.keyFile]
    const trust = ['--tls-ca-cert-file', certificate.file, '--tls-auth-clients', 'no']
    const among = name === 'cluster' ? ['--tls-cluster', 'yes'] : ['--tls-replication', 'yes']
    const connection = await ways[name]([...files, ...trust, ...among])
    await works(...connection, '--ca', certificate.file)
    const distrusted = await sluiceWith({}, folder, 'lists', ...connection, '--tls')
    expect(distrusted).toMatchObject({ code: 3, stdout: '' })
    expect(distrusted.stderr).toContain('Redis does not answer')
  })
})
