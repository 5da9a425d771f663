import { readFileSync, rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { gcra } from '@sluice/core'
import { type Certificate, makeCertificate, RedisProcess } from '@sluice/faults/outage'
import { installed } from '@sluice/faults/packed'
import { type Service, startService } from '../live/service.ts'
import { pageText } from '../page-commands.ts'
import { type Ended, folderWith, sluiceWith } from '../sluice.ts'
import { needsOf } from './needs.ts'
import { runPacked } from './run-packed.ts'

/** A command of a page: what it installs, and what it then says to the command line. */
interface Command {
  readonly packages: readonly string[]
  readonly words: readonly string[]
}

/** As a shell takes them apart. */
function wordsOf(text: string): readonly string[] {
  const [command = ''] = text.split(/ +#/)
  return [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain = '']) => quoted ?? plain)
}

/** Those of a page's shell blocks. What stands behind `npm install`, in the alias or in the command itself is installed for it. */
function commandsOf(page: string): readonly Command[] {
  const lines = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, code = '']) => code.split('\n'))
  const alias = /^alias sluice='(.*)'$/m.exec(page)?.[1]
  const npm = wordsOf(/^npm install (.*)$/m.exec(page)?.[1] ?? '')
  return lines.flatMap((line) => {
    const full = alias === undefined ? line : line.replace(/^sluice /, `${alias} `)
    if (!/^npx .*\bsluice /.test(full)) return []
    const words = wordsOf(full)
    const at = words.indexOf('sluice')
    const packages = words.slice(1, at).filter((word) => !word.startsWith('-'))
    return [{ packages: packages.length === 0 ? npm : packages, words: words.slice(at + 1) }]
  })
}

const limits = (page: string) => /^```yaml\n(# limits\.yaml\n[\s\S]*?)^```$/m.exec(page)?.[1]
const folder = folderWith({})
let certificate: Certificate
let redis: RedisProcess
let service: Service

beforeAll(async () => {
  certificate = makeCertificate('DNS:localhost')
  redis = await RedisProcess.prepare()
  await redis.start()
  const policies = { default: gcra({ count: 5, period: '1h' }) }
  service = await startService(redis.port, { names: ['login', 'tiger'], policies })
  for (const limiter of service.limiters) await limiter.check('carol')
  await service.tell()
})
afterAll(async () => {
  await service.close()
  await redis.end()
  certificate.remove()
  rmSync(folder, { recursive: true })
})

/** What the commands of a page find in their folder. */
function folderFor(page: string): string {
  const { file, keyFile } = certificate
  return folderWith({
    'limits.yaml': limits(page) ?? aLimit,
    'config/shop.yaml': 'domain: shop\ndescriptors: []\n',
    'cert.pem': readFileSync(file, 'utf8'),
    'key.pem': readFileSync(keyFile, 'utf8'),
    'clients.pem': readFileSync(file, 'utf8'),
    token: 'a-token-of-a-page',
  })
}

const titled = (commands: readonly Command[]) =>
  commands.map((command) => [command.words.join(' '), command] as const)
const aLimit = 'schema:\n  user: { children: { "*": { limits: [1, 10, 60] } } }\n'

/** A service on ports that are free, which ends as soon as it says where it listens. */
function served(app: string, cwd: string, words: readonly string[]): Promise<Ended> {
  const grpc = words.includes('off') ? [] : ['--grpc', '127.0.0.1:0']
  return runPacked({ app, cwd }, [...words, '--http', '127.0.0.1:0', '--drain', '1ms', ...grpc])
}

describe.each([
  'operations.md',
  'incident.md',
  'lists.md',
  'changing-limits.md',
  'serve.md',
  'envoy.md',
  'nginx.md',
])('docs/%s', (file) => {
  const page = pageText(file)
  const commands = commandsOf(page)

  it('has commands', () => expect(commands).not.toHaveLength(0))

  // That a command needs no more, and runs where that is installed, commands.packed.test.ts shows.
  it.each(titled(commands))('sluice %s: what it needs is installed', (_, { packages, words }) => {
    expect(packages).toEqual(expect.arrayContaining(['@sluice/cli', ...needsOf(words)]))
  })

  it.each(titled(commands))('sluice %s', async (_, { packages, words }) => {
    const cwd = folderFor(page)
    // Its Redis is elsewhere here.
    const here = words.map((word) => word.replace(/^redis:\/\/.*/, redis.url))
    const { code, stdout, stderr } =
      words[0] === 'serve'
        ? await served(await installed(...packages), cwd, here)
        : await sluiceWith({ REDIS_URL: redis.url }, cwd, ...here)
    rmSync(cwd, { recursive: true })
    // 1: nothing was found, such as a block that nobody has made.
    expect({ fine: code < 2, stderr: code < 2 ? '' : stderr }).toEqual({ fine: true, stderr: '' })
    if (words[0] !== 'serve') return
    const where = words.includes('--url') ? 'Redis' : "this process's memory"
    const what = words.includes('--envoy-config') ? 'config/' : 'limits.yaml'
    expect(stdout).toContain(`${what}, counted in ${where}`)
  })
})
