import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { RedisProcess, until } from '@sluice/faults'
import { bundled } from '@sluice/faults/bundle'
import { parseAllDocuments } from 'yaml'
import { type EnvoyClient, envoyClient } from './client.ts'

const root = path.resolve(__dirname, '../../..')
const page = readFileSync(path.join(root, 'docs/kubernetes.md'), 'utf8')
const [, manifests = ''] = /^```yaml\n([\s\S]*?)^```$/m.exec(page) ?? []
const [configMap, deployment, service] = parseAllDocuments(manifests).map((each) => each.toJS())
const pod = deployment.spec.template.spec
const [container] = pod.containers
const [volume] = pod.volumes
const [mount] = container.volumeMounts

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

  it('leave time enough: three probes fail while it drains, and all is over before it is killed', () => {
    const drain = secondsOf(flag('--drain'))
    expect(drain).toBeGreaterThanOrEqual(3 * container.readinessProbe.periodSeconds)
    expect(drain + secondsOf(flag('--grace'))).toBeLessThan(pod.terminationGracePeriodSeconds)
  })
})

describe('their container', () => {
  const program = bundled(path.join(root, 'packages/cli/src/main.ts'))
  const folder = mkdtempSync(path.join(tmpdir(), 'mounted-'))
  const password = 'of the secret'
  let redis: RedisProcess
  let child: ChildProcess
  let client: EnvoyClient
  let url = ''

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
    child = spawn(process.execPath, [await program(), 'serve', ...args], {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    if (child.stdout === null) throw new Error('no output')
    for await (const line of createInterface({ input: child.stdout })) {
      const port = /gRPC +127\.0\.0\.1:(\d+)/.exec(line)?.[1]
      if (port !== undefined) client = envoyClient(Number(port))
      url = /http:\/\/[^ :]+:\d+/.exec(line)?.[0] ?? ''
      if (url !== '') break
    }
  })
  afterAll(async () => {
    client.close()
    child.kill('SIGKILL')
    await redis.end()
    rmSync(folder, { recursive: true })
  })

  const ready = async () => (await fetch(`${url}${container.readinessProbe.httpGet.path}`)).status
  const asked = (user: string) =>
    fetch(`${url}/check`, { method: 'POST', body: JSON.stringify({ path: ['shop', 'user', user] }) })
  async function passedOf(user: string, times: number): Promise<number> {
    let passed = 0
    for (let i = 0; i < times; i++) if ((await asked(user)).ok) passed++
    return passed
  }

  it('is ready and alive, and counts in Redis', async () => {
    await until(async () => (await ready()) === 200, { what: 'readiness' })
    expect(await client.check({ service: '' })).toMatchObject({ status: 'SERVING' })
    // Ten come back in a second.
    const passed = await passedOf('ann', 80)
    expect(passed).toBeGreaterThanOrEqual(51)
    expect(passed).toBeLessThan(80)
    expect(await (await fetch(`${url}/metrics`)).text()).toMatch(
      /^sluice_decisions_total{[^}]*source="redis"/m,
    )
  })

  it('has the limits of a changed ConfigMap without a restart', async () => {
    const changed = configMap.data['limits.yaml'].replace('[50, 600, 60]', '[2, 600, 60]')
    expect(changed).not.toBe(configMap.data['limits.yaml'])
    mounted('..2', { 'limits.yaml': changed })
    let user = 0
    await until(async () => (await passedOf(`bob ${user++}`, 20)) < 20, { what: 'the new limit' })
  })

  it('says after SIGTERM that it is not ready, still answers, and ends with 0', async () => {
    const ended = once(child, 'close')
    child.kill('SIGTERM')
    await until(async () => (await ready()) === 503, { what: 'the end of readiness', longestMs: 2500 })
    expect((await asked('carl')).status).toBe(200)
    expect(await ended).toEqual([0, null])
  })
})
