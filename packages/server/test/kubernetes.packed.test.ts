import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { RedisProcess, until } from '@sluice/faults/outage'
import { installed } from '@sluice/faults/packed'
import { parseAllDocuments } from 'yaml'
import { Container } from './container.ts'

const root = path.resolve(__dirname, '../../..')
const page = readFileSync(path.join(root, 'docs/kubernetes.md'), 'utf8')
const [, manifests = ''] = /^```yaml\n([\s\S]*?)^```$/m.exec(page) ?? []
const [configMap, deployment, service, budget] = parseAllDocuments(manifests).map((each) => each.toJS())
const pod = deployment.spec.template.spec
const [container] = pod.containers
const [volume] = pod.volumes
const [mount] = container.volumeMounts

/** An instruction of the image. */
const image = (name: string): string => new RegExp(`^${name} (.*)$`, 'm').exec(page)?.[1] ?? ''

/** `6s` */
const secondsOf = (text: string): number => Number(/^(\d+)s$/.exec(text)?.[1])
const flag = (name: string): string => container.args[container.args.indexOf(name) + 1]

describe('the manifests of docs/kubernetes.md', () => {
  it('name the same things in all places', () => {
    expect([configMap.kind, deployment.kind, service.kind]).toEqual(['ConfigMap', 'Deployment', 'Service'])
    expect(deployment.spec.selector.matchLabels).toEqual(deployment.spec.template.metadata.labels)
    expect(service.spec.selector).toEqual(deployment.spec.template.metadata.labels)
    expect(volume.configMap.name).toBe(configMap.metadata.name)
    expect(mount.name).toBe(volume.name)
    expect(Object.keys(configMap.data).map((file) => `${mount.mountPath}/${file}`)).toEqual([
      container.args[0],
    ])
    const ports = container.ports as readonly { name: string; containerPort: number }[]
    expect(
      Object.fromEntries(ports.map(({ name, containerPort }) => [name, `0.0.0.0:${containerPort}`])),
    ).toEqual({
      grpc: flag('--grpc'),
      http: flag('--http'),
    })
    expect(service.spec.ports).toEqual(ports.map(({ name, containerPort: port }) => ({ name, port })))
    expect(container.readinessProbe.httpGet.port).toBe('http')
    expect(container.livenessProbe.grpc.port).toBe(ports.find(({ name }) => name === 'grpc')?.containerPort)
  })

  it('ask for room, give no right that is not needed, and keep a replica while nodes are drained', () => {
    expect(Object.keys(container.resources.requests)).toEqual(['cpu', 'memory'])
    expect(container.resources.limits).toHaveProperty('memory')
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 })
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    expect(budget.kind).toBe('PodDisruptionBudget')
    expect(budget.spec.selector).toEqual(deployment.spec.selector)
    expect(budget.spec.minAvailable).toBeLessThan(deployment.spec.replicas)
  })

  it('leave time enough: three probes fail while it drains, and all is over before it is killed', () => {
    const drain = secondsOf(flag('--drain'))
    expect(drain).toBeGreaterThanOrEqual(3 * container.readinessProbe.periodSeconds)
    expect(drain + secondsOf(flag('--grace'))).toBeLessThan(pod.terminationGracePeriodSeconds)
  })
})

describe('their containers', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'mounted-'))
  const password = 'of the secret'
  let redis: RedisProcess
  let replicas: Container[] = []

  /** As a kubelet mounts a ConfigMap: files are links into a folder that a link names, which is replaced in one step. */
  function mounted(version: string, data: Readonly<Record<string, string>>): void {
    const files = path.join(folder, version)
    mkdirSync(files)
    for (const [name, text] of Object.entries(data)) writeFileSync(path.join(files, name), text)
    symlinkSync(version, path.join(folder, '..data_tmp'))
    renameSync(path.join(folder, '..data_tmp'), path.join(folder, '..data'))
  }

  beforeAll(async () => {
    redis = await RedisProcess.prepare(['--requirepass', password])
    await redis.start()
    mounted('..1', configMap.data)
    for (const name of Object.keys(configMap.data))
      symlinkSync(path.join('..data', name), path.join(folder, name))
    const args: readonly string[] = container.args
      .map((arg: string) => arg.replace(mount.mountPath, folder).replace(/^0\.0\.0\.0:\d+$/, '127.0.0.1:0'))
      // Nobody probes it here.
      .map((arg: string) => (arg === flag('--drain') ? '3s' : arg))
    const given: Readonly<Record<string, string>> = { REDIS_URL: redis.url, REDIS_PASSWORD: password }
    const names = (container.env as readonly { name: string }[]).map(({ name }) => name)
    const env = Object.fromEntries(names.map((name) => [name, given[name]]))
    const [, packages = ''] = /^npm install (.*)$/.exec(image('RUN')) ?? []
    const app = await installed(...packages.split(' '))
    const entry: readonly string[] = JSON.parse(image('ENTRYPOINT'))
    const argv = [...entry.map((word) => word.replace(image('WORKDIR'), app)), ...args]
    const starting = Array.from({ length: deployment.spec.replicas }, () => Container.start(argv, env))
    replicas = await Promise.all(starting)
  }, 300_000)
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.kill()))
    await redis.end()
    rmSync(folder, { recursive: true })
  })

  const replica = (i = 0): Container => {
    const one = replicas[i % replicas.length]
    if (one === undefined) throw new Error('no replica has started')
    return one
  }
  const ready = async (i = 0) =>
    (await fetch(`${replica(i).url}${container.readinessProbe.httpGet.path}`)).status
  const asked = (user: string, i = 0) =>
    fetch(`${replica(i).url}/check`, {
      method: 'POST',
      body: JSON.stringify({ path: ['shop', 'user', user] }),
    })
  /** Asked at once, of one replica after the other. */
  async function passedOf(user: string, times: number): Promise<number> {
    const answers = await Promise.all(Array.from({ length: times }, (_, i) => asked(user, i)))
    return answers.filter(({ ok }) => ok).length
  }

  /** How many a replica has let pass because Redis said so. */
  async function admittedByRedis(i: number): Promise<number> {
    const metrics = await (await fetch(`${replica(i).url}/metrics`)).text()
    const [, count] =
      /^sluice_decisions_total{[^}]*source="redis",outcome="allowed"[^}]*} (\d+)$/m.exec(metrics) ?? []
    return Number(count)
  }

  it('are ready and alive, and all of them count in one Redis', async () => {
    for (const i of replicas.keys()) {
      await until(async () => (await ready(i)) === 200, { what: 'readiness' })
      expect(await replica(i).client.check({ service: '' })).toMatchObject({ status: 'SERVING' })
    }
    const began = performance.now()
    expect(await passedOf('ann', 160)).toBeGreaterThanOrEqual(51)
    const seconds = (performance.now() - began) / 1000
    // On a busy machine Redis may be too late for some, whom their replica then admits by itself.
    const admitted = await Promise.all(replicas.map((_, i) => admittedByRedis(i)))
    expect(Math.min(...admitted)).toBeGreaterThan(0)
    // Ten come back in a second; two that count apart would let twice as many pass.
    expect(admitted.reduce((sum, each) => sum + each)).toBeLessThanOrEqual(52 + 10 * seconds)
  })

  it('have the limits of a changed ConfigMap without a restart', async () => {
    const changed = configMap.data['limits.yaml'].replace('[50, 600, 60]', '[2, 600, 60]')
    expect(changed).not.toBe(configMap.data['limits.yaml'])
    mounted('..2', { 'limits.yaml': changed })
    let user = 0
    await until(async () => (await passedOf(`bob ${user++}`, 40)) < 40, { what: 'the new limit' })
  })

  it('say after SIGTERM that they are not ready, still answer, and end with 0', async () => {
    replica().terminate()
    await until(async () => (await ready()) === 503, { what: 'the end of readiness', longestMs: 2500 })
    expect((await asked('carl')).status).toBe(200)
    expect(await replica().ended()).toEqual([0, null])
    expect(await ready(1)).toBe(200)
  })
})
