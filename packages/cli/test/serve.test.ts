import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { afterAll, expect, it } from '@jest/globals'
import { folderWith, program, sluice } from './sluice.ts'

const folder = folderWith({
  'limits.yaml': 'schema:\n  user: { children: { "*": { limits: [1, 10, 60] } } }\n',
  'broken.yaml': 'schema:\n  user: { limits: [1, 10] }\n',
  'envoy.yaml':
    'domain: zoo\ndescriptors: [{ key: keeper, rate_limit: { unit: day, requests_per_unit: 1 } }]\n',
  'envoy-broken.yaml': 'domain: zoo\ndescriptors: [{ key: keeper, weight: 1 }]\n',
})
afterAll(() => rmSync(folder, { recursive: true }))

const free = ['--grpc', '127.0.0.1:0', '--http', '0', '--drain', '0s']

/** The service as it says that it listens. */
async function started(...given: readonly string[]) {
  const env = { ...process.env, REDIS_URL: '' }
  const args = [await program(), 'serve', ...given, ...free]
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const lines: string[] = []
  let url = ''
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line)
    url = /http:\/\/\S+?(?=:? )/.exec(line)?.[0] ?? ''
    if (url !== '') break
  }
  return { child, lines, url }
}

it('serves a file until SIGTERM, then ends with 0', async () => {
  const { child, lines, url } = await started('limits.yaml')
  expect(lines).toEqual([
    "limits.yaml, counted in this process's memory",
    expect.stringMatching(/^ {2}gRPC {2}127\.0\.0\.1:\d+: envoy\.service\.ratelimit\.v3, grpc\.health\.v1$/),
    expect.stringMatching(
      /^ {2}HTTP {2}http:\/\/127\.0\.0\.1:\d+: \/check \/json \/auth \/healthz \/readyz \/metrics$/,
    ),
  ])
  const asked = () => fetch(`${url}/check`, { method: 'POST', body: '{"path":["user","alex"]}' })
  expect((await asked()).status).toBe(200)
  expect((await asked()).status).toBe(200)
  expect((await asked()).status).toBe(429)
  child.kill('SIGHUP')
  expect((await asked()).status).toBe(429)
  child.kill('SIGTERM')
  expect(await once(child, 'close')).toEqual([0, null])
})

it('serves the files of envoyproxy/ratelimit, and refuses nobody with --shadow', async () => {
  const { child, lines, url } = await started('--envoy-config', 'envoy.yaml', '--shadow')
  expect(lines[0]).toBe("envoy.yaml, counted in this process's memory, refusing nobody")
  const asked = async () => {
    const answer = await fetch(`${url}/check`, { method: 'POST', body: '{"path":["zoo","keeper","ann"]}' })
    const body: { allowed: boolean; checks: readonly { allowed: boolean }[] } = JSON.parse(
      await answer.text(),
    )
    return [answer.status, body.allowed, body.checks[0]?.allowed]
  }
  expect(await asked()).toEqual([200, true, true])
  expect(await asked()).toEqual([200, true, false])
  child.kill('SIGTERM')
  expect(await once(child, 'close')).toEqual([0, null])
})

it('converts them to a file of limits', async () => {
  expect(await sluice(folder, 'convert', 'envoy.yaml')).toEqual({
    code: 0,
    stderr: '',
    stdout: expect.stringMatching(/^match: end\nschema:\n {2}zoo:\n.*start: clock\n$/s),
  })
  const broken = await sluice(folder, 'convert', 'envoy-broken.yaml')
  expect(broken).toEqual({
    code: 1,
    stderr: expect.stringMatching(
      /^envoy-broken\.yaml:2:30: descriptors\[0\]\.weight: expected a known field .*\n1 problem\n$/,
    ),
    stdout: '', // goes into the file of limits
  })
  expect(await sluice(folder, 'convert', 'none')).toEqual({
    code: 2,
    stderr: 'none: expected a file that can be read, got ENOENT\n1 problem\n',
    stdout: '',
  })
})

// biome-ignore format: a table
it.each([
  // arguments                                          code, what is said
  [['broken.yaml', ...free],                            1, /broken\.yaml:2:.*limits/],
  [['none.yaml', ...free],                              2, /^none\.yaml: expected a file that can be read, got ENOENT$/m],
  [['--envoy-config', 'envoy-broken.yaml', ...free],    1, /envoy-broken\.yaml:2:30: .*weight/],
  [['limits.yaml', '--envoy-config', '.', ...free],     2, /expected either a file of limits or --envoy-config/],
  [free,                                                2, /expected either a file of limits or --envoy-config/],
  [['limits.yaml', '--grpc', 'off', '--http', 'off'],   2, /http: expected a place to listen, as grpc is off too/],
  [['limits.yaml', '--grpc', '70000'],                  2, /--grpc 70000: expected host:port/],
  [['limits.yaml', '--http', 'a:b'],                    2, /--http a:b: expected host:port/],
  [['limits.yaml', '--port', '8080'],                   2, /^error: --port 8080: write --http 8080 or --grpc 8080$/m],
  [['limits.yaml', ...free, '--tls-key', 'key.pem'],    2, /expected --tls-cert and --tls-key together/],
  [['limits.yaml', ...free, '--tls-cert', 'no.pem', '--tls-key', 'no.pem'], 2, /tls\.cert: expected a file that can be read \(no\.pem: ENOENT\)/],
  [['limits.yaml', ...free, '--token-file', 'none'],    2, /tokenFile: expected a file that can be read \(none: ENOENT\)/],
  [['limits.yaml', ...free, '--unmatched', 'maybe'],    2, /--unmatched maybe: expected allow or deny/],
  [['limits.yaml', ...free, '--url', ''],               2, /--url or REDIS_URL must say where Redis is/],
  [['limits.yaml', ...free, '--draft', '9'],            2, /--draft 9: expected 6, 7 or 8/],
  [['limits.yaml', ...free, '--max-connection-age', '0'], 2, /maxConnectionAge: expected a positive duration/],
  [['limits.yaml', ...free, '--grace', 'soon'],         2, /grace: expected a positive duration/],
])('serve %j ends with %i', async (args, code, words) => {
  const ended = await sluice(folder, 'serve', ...args)
  expect({ code: ended.code }).toEqual({ code })
  expect(ended.stderr + ended.stdout).toMatch(words)
})
