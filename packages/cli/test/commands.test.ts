import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { folderWith, program, sluice, sluiceAlone } from './sluice.ts'

const limits = `schema:
  user:
    children:
      "*":
        limits: [15, 30, 60]
        children:
          trade:
            limits: [5, 10, 15]
  "two\\nlines\\e[31m": { limits: [1, 2, 3] }
  admin: { limits: deny }
`
const broken = `charge: all
schema:
  user:
    limts: [15, 30, 60]
`
const brokenSaid = `broken.yaml:1:9: charge: expected "every-level" or "all-or-nothing", got "all" (string)
broken.yaml:4:5: schema.user.limts: expected a known field (did you mean "limits"?), got "limts" (string)
2 problems
`
const problems = [
  {
    file: 'broken.yaml',
    line: 1,
    column: 9,
    path: 'charge',
    expected: '"every-level" or "all-or-nothing"',
    got: '"all" (string)',
  },
  {
    file: 'broken.yaml',
    line: 4,
    column: 5,
    path: 'schema.user.limts',
    expected: 'a known field (did you mean "limits"?)',
    got: '"limts" (string)',
  },
]
const hint = 'sluice --help lists the commands, sluice COMMAND --help their options\n'

let folder = ''

beforeAll(() => {
  folder = folderWith({
    'limits.yaml': limits,
    'broken.yaml': broken,
    'one.yaml': 'schema:\n',
    'latin.yaml': Buffer.from('schema: { café: { limits: deny } }\n', 'latin1'),
    'small.yaml':
      'charge: all-or-nothing\nschema:\n  a: { limits: [1, 2, 3], children: { b: { limits: [1, 2, 3] } } }\n',
  })
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What a command line prints, if it goes well. */
async function printed(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await sluice(folder, ...args)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
}

describe('sluice validate', () => {
  it('says that a file is right', async () => {
    expect(await printed('validate', 'limits.yaml')).toBe('limits.yaml: no problems, 3 limits\n')
  })

  it('says it to programs', async () => {
    const report = await printed('validate', '--json', 'limits.yaml')
    expect(JSON.parse(report)).toEqual({ file: 'limits.yaml', limits: 3, problems: [] })
  })

  it('prints a problem a line, and ends with 1', async () => {
    expect(await sluice(folder, 'validate', 'broken.yaml')).toEqual({
      code: 1,
      stdout: brokenSaid,
      stderr: '',
    })
  })

  it('counts one problem', async () => {
    expect((await sluice(folder, 'validate', 'one.yaml')).stdout).toMatch(
      /^one\.yaml:1:8: schema: .*\n1 problem\n$/,
    )
  })

  it('prints problems for programs, and ends with 1', async () => {
    const { code, stdout } = await sluice(folder, 'validate', 'broken.yaml', '--json')
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toEqual({ file: 'broken.yaml', limits: null, problems })
  })
})

describe('foreign text', () => {
  // CSI of C1, next line of C1, delete, right-to-left override, line separator, a tag beyond 16 bits.
  const foreign = 'a\u009b31m\u0085\u007f\u202eb\u2028\u{e0041}'
  const bare = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

  // biome-ignore format: a table
  it.each([
    // what                                 arguments                                             code
    ['a problem of a file',                 ['validate', 'foreign-broken.yaml'],                   1],
    ['a problem, for programs',             ['validate', 'foreign-broken.yaml', '--json'],         1],
    ['a path',                              ['explain', 'foreign.yaml', `${foreign}/x`],           0],
    ['a path, for programs',                ['explain', 'foreign.yaml', `${foreign}/x`, '--json'], 0],
    ['the name of a file',                  ['validate', `${foreign}.yaml`],                       0],
    ['the name of a file with a problem',   ['validate', `${foreign}-broken.yaml`],                1],
    ['the name of a file that is not there', ['validate', `${foreign}-gone.yaml`],                 2],
    ['a command',                           [foreign],                                             2],
    ['an option',                           ['validate', `--${foreign}`],                          2],
    ['a log',                               ['compare', 'foreign.log', '--policy', 'gcra:1/1m', '--key', 'user'], 0],
    ['a log, for programs',                 ['compare', 'foreign.log', '--policy', 'gcra:1/1m', '--key', 'user', '--json'], 0],
    ['the field of a log',                  ['compare', 'foreign-field.log', '--policy', 'gcra:1/1m'], 0],
    ['the field of a log that is not judged', ['compare', 'foreign-proxy.log', '--policy', 'gcra:1/1m'], 1],
    ['a policy',                            ['compare', 'foreign.log', '--policy', foreign],       2],
    ['the address of a zoo',                ['crowd', '1', '1', '--url', foreign],                 2],
  ])('has nothing in it that a terminal obeys: %s', async (_what, args, code) => {
    const names = `{ limits: [1, 2, 3], children: { x: { limits: [1, 2, 3] } } }`
    const line = (client: string) =>
      JSON.stringify({ time: '2026-01-01T00:00:00Z', user: client, method: 'GET', path: '/', status: 200 })
    const own = folderWith({
      'foreign.yaml': `schema: { ${JSON.stringify(foreign)}: ${names} }\n`,
      'foreign-broken.yaml': `schema: { ${JSON.stringify(foreign)}: { limits: ${JSON.stringify(foreign)} } }\n`,
      [`${foreign}.yaml`]: `schema: { a: ${names} }\n`,
      [`${foreign}-broken.yaml`]: 'schema: 5\n',
      'foreign-field.log': `${JSON.stringify({ time: '2026-01-01T00:00:00Z', [foreign]: '192.0.2.1' })}\n`,
      'foreign-proxy.log': `${JSON.stringify({ time: '2026-01-01T00:00:00Z', [foreign]: '10.0.0.1' })}\n`,
      'foreign.log': `${line(foreign)}\n${line(foreign)}\n${line(foreign)}\n`,
    })
    const { code: ended, stdout, stderr } = await sluice(own, ...args)
    rmSync(own, { recursive: true, force: true })
    const saysWhy = code === 2 || args.includes('foreign-proxy.log')
    expect({ ended, stderr: saysWhy ? '' : stderr }).toEqual({ ended: code, stderr: '' })
    expect(`${stdout}${stderr}`).not.toBe('')
    for (const printed of `${stdout}${stderr}`.split('\n')) expect(printed).not.toMatch(bare)
  })

  it('is for programs what it was', async () => {
    const own = folderWith({ 'a.yaml': 'schema: { a: { limits: [1, 2, 3] } }\n' })
    const { stdout } = await sluice(own, 'explain', 'a.yaml', foreign, '--json')
    rmSync(own, { recursive: true, force: true })
    expect(JSON.parse(stdout).path).toEqual([foreign])
    expect(stdout).toContain('"a\\u009b31m\\u0085\\u007f\\u202eb\\u2028\\udb40\\udc41"')
  })
})

describe('sluice explain', () => {
  // biome-ignore format: a table
  it.each([
    // file           path                what is printed
    ['limits.yaml',   'user/alex/trade',  'user/*        gcra: 30 per 60s, burst 15; key user/alex\nuser/*/trade  gcra: 10 per 15s, burst 5; key user/alex/trade\ncharge: every-level\n'],
    ['limits.yaml',   'user/a%2Fb',       'user/*  gcra: 30 per 60s, burst 15; key user/a%2Fb\n'],
    ['limits.yaml',   'user/a%0Ab',       'user/*  gcra: 30 per 60s, burst 15; key user/a%0Ab\n'],
    ['limits.yaml',   'two%0Alines%1B[31m', 'two%0Alines%1B[31m  gcra: 2 per 3s, burst 1; key two%0Alines%1B[31m\n'],
    ['limits.yaml',   'admin',            'admin  deny: refused, whatever the limits\n'],
    ['limits.yaml',   'nowhere',          'no limit applies: allowed\n'],
    ['small.yaml',    'a/b',              'a    gcra: 2 per 3s, burst 1; key a\na/b  gcra: 2 per 3s, burst 1; key a/b\ncharge: all-or-nothing\n'],
  ])('says of %s what applies to %s', async (file, path, expected) => {
    expect(await printed('explain', file, path)).toBe(expected)
  })

  it('says it to programs', async () => {
    expect(JSON.parse(await printed('explain', 'limits.yaml', 'user/a%2Fb/trade', '--json'))).toEqual({
      file: 'limits.yaml',
      path: ['user', 'a/b', 'trade'],
      charge: 'every-level',
      levels: [
        {
          level: 'user/*',
          policy: 'gcra',
          rule: '30 per 60s, burst 15',
          shadow: false,
          text: 'gcra: 30 per 60s, burst 15; key user/a%2Fb',
        },
        {
          level: 'user/*/trade',
          policy: 'gcra',
          rule: '10 per 15s, burst 5',
          shadow: false,
          text: 'gcra: 10 per 15s, burst 5; key user/a%2Fb/trade',
        },
      ],
      problems: [],
    })
  })

  it('prints the problems of a file that has some, and ends with 1', async () => {
    expect(await sluice(folder, 'explain', 'broken.yaml', 'a')).toEqual({
      code: 1,
      stdout: brokenSaid,
      stderr: '',
    })
    const { code, stdout } = await sluice(folder, 'explain', 'broken.yaml', 'a', '--json')
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toEqual({
      file: 'broken.yaml',
      path: ['a'],
      charge: null,
      levels: [],
      problems,
    })
  })
})

describe('sluice', () => {
  it.each(['--version', '-V'])('prints its version: %s', async (flag) => {
    const manifest = readFileSync(path.join(__dirname, '../package.json'), 'utf8')
    expect(await printed(flag)).toBe(`${JSON.parse(manifest).version}\n`)
  })

  it.each([
    [['-h'], ['--help']],
    [['help'], ['--help']],
    [
      ['plan', '-h'],
      ['plan', '--help'],
    ],
    [
      ['help', 'plan'],
      ['plan', '--help'],
    ],
    [
      ['help', 'deny'],
      ['deny', '--help'],
    ],
  ])('%j prints what %j prints', async (args, same) => {
    expect(await printed(...args)).toBe(await printed(...same))
  })

  // biome-ignore format: a table
  it.each([
    // args                    what is in it
    [['--help'],               ['Usage: sluice [options] [command]', 'validate [options] <file>', 'explain [options] <file> <path>', 'crowd [options] [loops] [allowed]', 'Exit codes: 0']],
    [['validate', '--help'],   ['Usage: sluice validate [options] <file>', '--json', '$ sluice validate limits.yaml']],
    [['explain', '--help'],    ['Usage: sluice explain [options] <file> <path>', '--json', '%2F', '$ sluice explain limits.yaml user/alex/trade']],
    [['plan', '--help'],       ['Usage: sluice plan [options]', '--users <n>', '--server-us <us>', '  slidingWindowLog:100/10s', '$ sluice plan --users 1e9']],
    [['change', '--help'],     ['$ sluice change free count=50 --for 2h', 'It changes the limit of all keys. One key is let pass for a time, uncounted, by sluice allow KEY TIME,']],
    [['top', '--help'],        ['--url redis://localhost\n\nRedis is found by --url']],
  ])('helps: %j', async (args, lines) => {
    const help = await printed(...args)
    for (const line of lines) expect(help).toContain(line)
  })

  // biome-ignore format: a table
  it.each([
    // args                                      what is said
    [['vaildate', 'limits.yaml'],                "error: unknown command 'vaildate'\n(Did you mean validate?)\n"],
    [['help', 'vaildate'],                       "error: unknown command 'vaildate'\n"],
    [['validate'],                               "error: missing required argument 'file'\n"],
    [['validate', 'a', 'b'],                     "error: too many arguments for 'validate'. Expected 1 argument but got 2.\n"],
    [['validate', 'limits.yaml', '--jsn'],       "error: unknown option '--jsn'\n(Did you mean --json?)\n"],
    [['explain', 'limits.yaml'],                 "error: missing required argument 'path'\n"],
    [['explain', 'limits.yaml', 'user//trade'],  'error: expected a path such as user/alex/trade, got "user//trade"\n'],
    [['explain', 'limits.yaml', '/user'],        'error: expected a path such as user/alex/trade, got "/user"\n'],
    [['explain', 'limits.yaml', ''],             'error: expected a path such as user/alex/trade, got ""\n'],
    [['explain', 'limits.yaml', '100%'],         'error: expected a percent-encoded name (%25 is a percent sign), got "100%"\n'],
    [['plan', '--rate', '1/d'],                  "error: required option '--users <n>' not specified\n"],
    [['plan', '--users', '1', '--rate', '1/d'],  'error: nothing to plan: give a policy of each user, as in --policy gcra:100/1m\n'],
    [['plan', '--users', 'x', '--rate', '1/d', '--policy', 'gcra:1/1s'], 'error: --users x: users: expected a whole number from 1 to 1,000,000,000,000, got "x" (string)\n'],
    [['plan', '--users', '1', '--rate', '1/d', '--user', '1'], "error: unknown option '--user'\n(Did you mean --users?)\n"],
  ])('ends with 2, one sentence and the way to help: %j', async (args, said) => {
    expect(await sluice(folder, ...args)).toEqual({ code: 2, stdout: '', stderr: said + hint })
  })

  it.each([
    ['block', 'alice', '10m'],
    ['unblock', 'alice'],
    ['reset', 'alice'],
    ['deny', '10.0.0.1', '10m'],
    ['refuse', '10.0.0.1', '10m'],
    ['allow', '10.0.0.1', '10m'],
    ['unlist', '10.0.0.1'],
    ['change', 'login', 'limit=5'],
    ['restore', 'login'],
  ])('reads a reason before it does anything, also in a dry run: %s', async (...args) => {
    const why = ['--why', 'x'.repeat(501), '--dry-run', '--url', 'redis://127.0.0.1:1']
    const said = 'error: --why: expected at most 500 characters, got 501\n'
    expect(await sluice(folder, ...args, ...why)).toEqual({ code: 2, stdout: '', stderr: said + hint })
  })

  it('prints its help and ends with 2 where there is nothing to do', async () => {
    const { code, stdout, stderr } = await sluice(folder)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^Usage: sluice /)
  })
})

describe('in a process of its own', () => {
  it.each([[['validate', 'limits.yaml']], [['validate', 'broken.yaml']], [['--help']], [['vaildate']]])(
    'sluice says the same: %j',
    async (args) => {
      expect(await sluiceAlone(folder, ...args)).toEqual(await sluice(folder, ...args))
    },
  )

  // What Node throws is no error of the realm in which jest runs a test.
  it.each([
    ['no.yaml', 'ENOENT: no such file or directory'],
    ['.', 'EISDIR: illegal operation on a directory'],
    ['latin.yaml', 'it is not UTF-8'],
  ])('sluice says why it cannot read a file: %s', async (file, why) => {
    const said = `error: cannot read ${file} (${why})\n${hint}`
    expect(await sluiceAlone(folder, 'validate', file)).toEqual({ code: 2, stdout: '', stderr: said })
  })

  // A file that is open for reading stands for a disk that is full.
  it.each([['validate', 'limits.yaml'], ['--help']])(
    'sluice does not end with 0 when its output cannot be written: %s',
    async (...args) => {
      const output = openSync(path.join(folder, 'limits.yaml'), 'r')
      try {
        const child = spawn(process.execPath, [await program(), ...args], {
          cwd: folder,
          stdio: ['ignore', output, 'pipe'],
        })
        const { stderr } = child
        if (stderr === null) throw new Error('its standard error is a pipe')
        const [said, [code]] = await Promise.all([text(stderr), once(child, 'close')])
        expect({ code, said }).toEqual({
          code: 1,
          said: 'error: cannot write the output (EBADF: bad file descriptor, write)\n',
        })
      } finally {
        closeSync(output)
      }
    },
  )

  it('sluice ends quietly when the reader of its output exits first', async () => {
    const child = spawn(process.execPath, [await program(), '--help'], { stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.destroy()
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
    expect({ code, said }).toEqual({ code: 0, said: '' })
  })
})
