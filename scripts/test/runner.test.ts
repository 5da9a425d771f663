import path from 'node:path'
import { afterEach, describe, expect, it } from '@jest/globals'
import { SmallProject } from './small-project.ts'

const passes = "test('passes', () => {})"
const fails = "test('fails', () => { throw new Error('no') })"
const holdsOn = 'setInterval(() => {}, 1000)'

let made: SmallProject | undefined
afterEach(() => made?.remove())

function project(tests: { readonly [file: string]: string }, base?: string): SmallProject {
  made = new SmallProject(tests, base)
  return made
}

const inBand = ['--runInBand']
/** One file after the other, by their names: jest would begin with the longest. */
const inOrder = [...inBand, `--testSequencer=${path.join(__dirname, 'by-name.cjs')}`]
const endNow = "require('node:fs').writeFileSync('end-now', '')"

describe('a run of jest', () => {
  it('counts what has passed and failed, also a file that cannot be loaded, and lists what has failed', async () => {
    const tests = project({
      'one/a.test.js': passes,
      'two/a.test.js': `describe('all of it', () => { ${passes}\n${fails} })`,
      'two/b.test.js': "throw new Error('at once')",
    })
    const { passed, failed, said, notPassed } = await tests.run(inOrder)
    expect({ passed, failed, said }).toEqual({ passed: 2, failed: 2, said: '' })
    expect(notPassed).toEqual([
      'failed: two/a.test.js: all of it › fails: Error: no',
      'failed: two/b.test.js: at once',
    ])
  })

  it('fails where a test ends the process with exit code 0, says where, and keeps what had passed until then', async () => {
    const tests = project({
      'one/a.test.js': passes,
      'one/b.test.js': "test('ends', () => { process.exit(0) })",
    })
    expect(await tests.run(inOrder)).toMatchObject({
      passed: 1,
      failed: 1,
      said: 'jest ended with exit code 0 before all its tests had run; it was at one/b.test.js\n',
    })
  })

  it.each([
    ['no name matches', ['-t', 'nothing of that name']],
    ['no file matches, and that was allowed', ['--passWithNoTests', 'nothing-of-that-name']],
  ])('fails where %s', async (_what, flags) => {
    const { passed, failed, said } = await project({ 'one/a.test.js': passes }).run(flags)
    expect({ passed, failed }).toEqual({ passed: 0, failed: 1 })
    expect(said).toMatch(/^no test has run\n$/m)
  })

  it('fails where jest reports no counts and ends well', async () => {
    const { passed, failed, said } = await project({ 'one/a.test.js': passes }).run(['--listTests'])
    expect({ passed, failed }).toEqual({ passed: 0, failed: 1 })
    expect(said).toMatch(/jest ended with exit code 0 and has not reported its results\n$/)
  })

  it('fails where one of the projects has run no test, and names it', async () => {
    const tests = project({ 'one/a.test.js': passes, 'two/a.test.js': "test.skip('passes', () => {})" })
    expect(await tests.run(inBand, { projects: ['one', 'two'] })).toMatchObject({
      passed: 1,
      failed: 1,
      said: 'no test has run in the project two\n',
    })
  })

  it('fails where jest does, though no test has', async () => {
    const tests = project({ 'one/a.test.js': passes }, "globalTeardown: '<rootDir>/down.cjs'")
    tests.write('down.cjs', "module.exports = () => { throw new Error('down') }")
    expect(await tests.run(inBand)).toMatchObject({
      passed: 1,
      failed: 1,
      said: 'jest ended with exit code 1, although no test had failed\n',
    })
  })

  it('ends soon after a failed test that has left something open, and keeps the counts', async () => {
    const tests = project({ 'one/a.test.js': `${passes}\n${fails}\n${holdsOn}` })
    const { passed, failed, said } = await tests.run(inBand, { lingerMs: 100 })
    expect({ passed, failed }).toEqual({ passed: 1, failed: 1 })
    expect(said).toBe('\njest did not end within 0.1 s of its last test, which has left something open\n')
  })

  it('fails where a test that passed has left something open', async () => {
    const tests = project({ 'one/a.test.js': `${passes}\n${holdsOn}` })
    const { passed, failed } = await tests.run(inBand, { lingerMs: 100 })
    expect({ passed, failed }).toEqual({ passed: 1, failed: 1 })
  })

  it('counts a test that says of itself that it cannot be judged as neither, and lists it with the reason', async () => {
    const environment = path.join(__dirname, '../jest/judging.mjs')
    const tests = project(
      {
        'one/a.test.js': `describe('a trial', () => {
          beforeAll(() => notJudged('a trial koa', 'no core (for 340 ms)'))
          test('express', () => {})
          test('koa', () => { throw new Error('is run') })
        })`,
      },
      `testEnvironment: ${JSON.stringify(environment)}`,
    )
    const listed = 'not judged: a trial › koa: no core (for 340 ms)'
    expect(await tests.run(inBand)).toMatchObject({ passed: 1, failed: 0, notPassed: [listed] })
    expect(await tests.runByHand(...inBand)).toMatchObject({
      code: 0,
      stdout: `\n${listed}\n1 passed, 0 failed\n`,
    })
  })

  it('lets watching go on when all tests have run', async () => {
    // Ends the run a while after its last test.
    const later = `const fs = require('node:fs')
      const looking = setInterval(() => {
        if (!JSON.parse(fs.readFileSync('counts.json', 'utf8')).over) return
        clearInterval(looking)
        setTimeout(() => fs.writeFileSync('end-now', ''), 1500)
      }, 20)`
    const tests = project({ 'one/a.test.js': `${passes}\n${later}` })
    const { said } = await tests.run([...inBand, '--watchAll'], { lingerMs: 100 })
    expect(said).toContain('\njest was ended\n')
  })

  it('says at which file it was ended, and keeps the counts', async () => {
    const tests = project({
      'one/a.test.js': passes,
      'one/b.test.js': `test('hangs', () => { ${endNow}; for (;;); })`,
    })
    const { passed, failed, said } = await tests.run(inOrder)
    expect({ passed, failed }).toEqual({ passed: 1, failed: 1 })
    expect(said).toBe(
      '\njest was ended\njest ended with exit code 137 before all its tests had run; it was at one/b.test.js\n',
    )
  })
})

describe('jest that was started by hand', () => {
  it('prints the counts as its last line, also where a test has left one open', async () => {
    const tests = project({
      'one/a.test.js': "test('x', () => { process.stdout.write('open') })",
      'two/a.test.js': fails,
    })
    const { code, stdout } = await tests.runByHand(...inOrder)
    expect(code).toBe(1)
    expect(stdout).toBe('open\nfailed: two/a.test.js: fails: Error: no\n1 passed, 1 failed\n')
  })

  it.each([
    ['a test ends the process', "test('ends', () => { process.exit(0) })", []],
    ['no name matches', passes, ['-t', 'nothing of that name']],
  ])('fails where %s', async (_what, text, flags) => {
    const { code, stdout } = await project({ 'one/a.test.js': text }).runByHand(...inBand, ...flags)
    expect(code).toBe(1)
    expect(stdout).toMatch(/\n0 passed, 1 failed\n$/)
  })
})
