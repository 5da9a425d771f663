import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { freePort, until } from '@sluice/faults/outage'
import { type Served, served } from '../served.ts'

const page = readFileSync(path.resolve(__dirname, '../../../../docs/nginx.md'), 'utf8')
const blockOf = (language: string) =>
  new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'm').exec(page)?.[1] ?? ''
const folder = mkdtempSync(path.join(tmpdir(), 'nginx-'))

let app: Server
let service: Served
let nginx: ChildProcess
let url = ''

/** What the page says, on ports that are free, as a program of this test's own. */
function configuration(ports: { nginx: number; app: number; limits: number }): string {
  const servers = blockOf('nginx')
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${ports.app}`)
    .replace('127.0.0.1:8080', `127.0.0.1:${ports.limits}`)
    .replace('listen 8000', `listen 127.0.0.1:${ports.nginx}`)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join('\n')
  return `daemon off;\nmaster_process off;\npid ${folder}/nginx.pid;\nerror_log stderr crit;\nevents {}\nhttp {\naccess_log off;\n${temporary}\n${servers}}\n`
}

beforeAll(async () => {
  app = createServer((request, response) => {
    request.resume()
    response.end(`hello from ${request.method}`)
  }).listen(0, '127.0.0.1')
  await once(app, 'listening')
  // The page's limit, with less to use up: 3 at once.
  const limits = blockOf('yaml').replace('[20, 100, 60]', '[2, 1, 3600]')
  expect(limits).toContain('[2, 1, 3600]')
  service = await served(`${limits.trimEnd()}\n`, { grpc: { port: 0 }, http: { port: 0 } })
  const port = await freePort()
  const { port: appPort } = app.address() as AddressInfo // it listens on a port
  const file = path.join(folder, 'nginx.conf')
  writeFileSync(file, configuration({ nginx: port, app: appPort, limits: service.server.http?.port ?? 0 }))
  url = `http://127.0.0.1:${port}`
  nginx = spawn(process.env.SLUICE_NGINX ?? 'nginx', ['-c', file, '-p', folder], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await until(async () => (await fetch(`${url}/`).catch(() => undefined)) !== undefined, { what: 'nginx' })
})

afterAll(async () => {
  nginx.kill('SIGQUIT')
  await once(nginx, 'close')
  await service.end()
  app.close()
  rmSync(folder, { recursive: true, force: true })
})

it('nginx passes on what the service allows, and answers 429 with Retry-After to the rest', async () => {
  // One was used to see that it runs.
  const second = await fetch(`${url}/`)
  expect([second.status, await second.text(), second.headers.get('X-RateLimit-Remaining')]).toEqual([
    200,
    'hello from GET',
    '1',
  ])
  const third = await fetch(`${url}/`, { method: 'POST', body: 'a body' })
  expect([third.status, await third.text()]).toEqual([200, 'hello from POST'])
  const refused = await fetch(`${url}/`)
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(3500)
})

it('a client cannot name a path itself', async () => {
  const sent = await fetch(`${url}/`, { headers: { 'X-Limit-Ip': '203.0.113.9', 'X-Limit-User': 'alex' } })
  expect(sent.status).toBe(429)
  expect((await service.server.limits.peek(['ip', '203.0.113.9'])).remaining).toBe(3)
  expect((await fetch(`${url}/limits`)).status).toBe(404)
})

it('where the service is away requests pass', async () => {
  await service.server.close()
  const answer = await fetch(`${url}/`)
  expect([answer.status, await answer.text()]).toEqual([200, 'hello from GET'])
})
