import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type Act, gcra } from '@sluice/core'
import { RedisProcess, until } from '@sluice/faults/outage'
import { folderWith, program, sluiceWith } from '../sluice.ts'
import { type Service, startService } from './service.ts'

const folder = folderWith({})
const password = 'tiger/s3cret'
const heard: Act[] = []
let redis: RedisProcess
let one: Service
let two: Service

beforeAll(async () => {
  redis = await RedisProcess.prepare(['--requirepass', password])
  await redis.start()
  one = await startService(redis.port, { password })
  two = await startService(redis.port, { password, observers: [{ acted: (act) => void heard.push(act) }] })
})
afterAll(async () => {
  await one.close()
  await two.close()
  await redis.end()
})

const env = (port: number = redis.port) => ({
  REDIS_URL: `redis://127.0.0.1:${port}`,
  REDIS_PASSWORD: password,
  USER: 'alice',
})
const sluice = (...args: readonly string[]) => sluiceWith(env(), folder, ...args)
const login = () => two.limiters[0] as Service['limiters'][number]

async function exhaust(key: string): Promise<void> {
  for (let i = 0; i < 5; i++) await login().check(key)
}

describe('by the command line, with no policy repeated', () => {
  it('a key is blocked in every limiter of every process, which hear of it, and unblocked again', async () => {
    const blocked = await sluice('block', '203.0.113.9', '1h', '--why', 'scraper')
    expect(blocked.stderr).toBe('')
    expect(blocked).toMatchObject({ code: 0 })
    expect(blocked.stdout).toMatch(
      /^Blocked 203\.0\.113\.9 in login, tickets until .* UTC\.\nUndo: sluice unblock 203\.0\.113\.9\n$/,
    )
    for (const { limiters } of [one, two])
      for (const limiter of limiters)
        expect(await limiter.check('203.0.113.9')).toMatchObject({ allowed: false, reason: 'blocked' })
    const ofIt = (acts: readonly Act[]) => acts.filter(({ key }) => key === '203.0.113.9')
    await until(async () => ofIt(heard).length > 0, { what: 'word of the block' })
    const told = { act: 'block', key: '203.0.113.9', forMs: 3_600_000, why: 'scraper', by: 'alice' }
    expect(ofIt(heard)).toEqual([
      { ...told, limiter: '', limiters: 2, policies: [], atMs: expect.any(Number) },
    ])
    const seen = await sluice('inspect', '203.0.113.9')
    expect(seen.stdout).toMatch(/^login +0 +5 +blocked, again in /m)
    expect(await sluice('unblock', '203.0.113.9')).toEqual({
      code: 0,
      stdout: 'Unblocked 203.0.113.9 in login, tickets.\n',
      stderr: '',
    })
    expect((await login().check('203.0.113.9')).allowed).toBe(true)
    const log = await sluice('acts', '--json')
    expect(ofIt(JSON.parse(log.stdout)).map(({ act }) => act)).toEqual(['unblock', 'block'])
    expect((await sluice('acts')).stdout).toMatch(/ block 1 h +203\.0\.113\.9 +all 2 +alice +scraper$/m)
  })

  it('one limiter alone can be meant', async () => {
    await sluice('block', 'bob', '10m', '--limiter', 'login')
    expect((await login().check('bob')).allowed).toBe(false)
    expect((await two.limiters[1]?.check('bob'))?.allowed).toBe(true)
  })

  it('a dry run does nothing, and what cannot be undone needs --yes where nobody can be asked', async () => {
    await exhaust('carol')
    expect(await sluice('reset', 'carol', '--dry-run')).toEqual({
      code: 0,
      stdout: 'Would reset carol in login, tickets.\nDry run: nothing was done.\n',
      stderr: '',
    })
    const refused = await sluice('reset', 'carol', '--limiter', 'login')
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toContain('repeat it with --yes')
    expect((await login().peek('carol')).allowed).toBe(false)
    expect(await sluice('reset', 'carol', '--limiter', 'login', '--yes')).toMatchObject({ code: 0 })
    expect((await login().peek('carol')).remaining).toBe(5)
  })

  it('top says who is refused, by which policy, and who is near, within 80 columns', async () => {
    let stdout = ''
    // It shows the last seconds, which may be over before a slow program has begun.
    async function seen() {
      for (let i = 0; i < 9; i++) await login().check('mallory\u001b[2J')
      await two.tell()
      await two.tell()
      stdout = (await sluice('top')).stdout
      return stdout.includes('mallory')
    }
    await until(seen, { what: 'the refused key' })
    expect(stdout).toMatch(/^2 processes of shop, 2 limiters, /)
    expect(stdout).toMatch(/^login +5\/h/m)
    expect(stdout).toMatch(/^\["mallory\\u001b\[2J"\] +login/m)
    expect(stdout).not.toContain('\u001b')
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  })

  it('top prints one picture as JSON, with what was done by hand', async () => {
    await login().check('dave')
    await two.tell()
    await sluice('block', 'dave', '10m', '--limiter', 'login', '--why', 'as JSON')
    const { code, stdout, stderr } = await sluice('top', '--json')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const { processes, acts } = JSON.parse(stdout)
    expect(processes).toHaveLength(2)
    for (const { service, limiters, seen } of processes) {
      expect(service).toBe('shop')
      expect(limiters.map(({ name }: { name: string }) => name)).toEqual(['login', 'tickets'])
      expect(seen.policies).toEqual(expect.any(Array))
    }
    expect(acts[0]).toMatchObject({ act: 'block', limiter: 'login', key: 'dave', why: 'as JSON' })
    const nobody = await sluice('top', '--json', '--prefix', 'another:')
    expect(nobody.code).toBe(1)
    expect(JSON.parse(nobody.stdout)).toEqual({ processes: [], acts: [] })
  })

  const onTerminal = spawnSync('script', ['--version']).status === 0 ? it : it.skip

  onTerminal('top is live on a terminal until Ctrl-C, and leaves it as it was', async () => {
    // The shell stays, so that the terminal is there until all has been read.
    const command = `trap : INT; "${process.execPath}" "${await program()}" top; printf "ended with $?"; read -r line`
    const terminal = spawn('script', ['-qfc', command, '/dev/null'], {
      env: { ...process.env, ...env(), SHELL: '/bin/sh' },
    })
    const closed = once(terminal, 'close')
    let shown = ''
    terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
      shown += text
    })
    try {
      const pictures = () => shown.split('2 processes of shop, 2 limiters').length - 1
      await until(async () => pictures() > 1, { what: 'a second picture' })
      terminal.stdin.write('\u0003')
      await until(async () => /ended with \d/.test(shown), { what: 'its end' })
      terminal.stdin.write('\n')
      await closed
    } finally {
      terminal.kill()
    }
    expect(shown.slice(0, 17)).toBe('\u001b[?1049h\u001b[?25l\u001b[H')
    expect(shown).toContain('login    5/h, burst 4  ')
    expect(shown.trimEnd().slice(-26)).toBe('\u001b[?25h\u001b[?1049lended with 0')
  })

  it.each([
    { args: ['unblock', 'nobody'], code: 1, says: 'nobody is not blocked' },
    { args: ['inspect', 'bob', '--limiter', 'logni'], code: 2, says: 'did you mean "login"?' },
    { args: ['block', 'bob', 'soon'], code: 2, says: 'TIME: expected a time such as 30s' },
    { args: ['top', '--prefix', 'another:'], code: 1, says: 'No process has written here' },
  ])('exit code $code of $args', async ({ args, code, says }) => {
    const ended = await sluice(...args)
    expect(ended.stdout + ended.stderr).toContain(says)
    expect(ended.code).toBe(code)
  })

  it('without Redis the exit code is 3, and no password is printed', async () => {
    const gone = await RedisProcess.prepare()
    const away = {
      ...env(gone.port),
      REDIS_URL: `redis://user:${encodeURIComponent(password)}@127.0.0.1:${gone.port}`,
    }
    const ended = await sluiceWith(away, folder, 'top')
    expect(ended).toMatchObject({ code: 3, stdout: '' })
    expect(ended.stderr).toContain('Redis does not answer')
    expect(ended.stderr).not.toContain(password)
    expect(ended.stderr).not.toContain(encodeURIComponent(password))
  })

  it('a thousand policies are told and shown, the most refused first', async () => {
    const policies = Object.fromEntries(
      Array.from({ length: 1000 }, (_, i) => [`policy ${i}`, gcra({ count: 1, period: '1h' })]),
    )
    const prefix = 'thousand:'
    const many = await startService(redis.port, { password, prefix, policies, names: ['many'] })
    const { stdout } = await sluice('top', '--prefix', prefix)
    expect(stdout).toMatch(/^and 985 more$/m)
    const { limiters } = JSON.parse((await sluice('inspect', 'bob', '--json', '--prefix', prefix)).stdout)
    expect(Object.keys(limiters[0].policies)).toHaveLength(1000)
    await many.close()
  })
})
