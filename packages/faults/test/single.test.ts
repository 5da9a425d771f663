import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { changedBy, inFile } from '../src/single/fault.ts'
import type { GuardedFault } from '../src/single/guarded.ts'
import { parts } from '../src/single/lists/list.ts'
import { chosenFaults, readOptions } from '../src/single/options.ts'
import { projects } from '../src/single/run-tests.ts'

const root = path.resolve(__dirname, '../../..')
const all = chosenFaults(parts, [])

it('there are at least ninety-five single faults, each with a name of its own', () => {
  expect(all.length).toBeGreaterThanOrEqual(95)
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
})

it('each has its place once, and test files of projects that are run for it', () => {
  const files = testFiles()
  expect(all.flatMap((fault) => wrongWith(fault, files))).toEqual([])
})

/** Those that jest finds in the projects. */
function testFiles(): ReadonlySet<string> {
  const args = ['node_modules/jest/bin/jest.js', '--listTests', '--selectProjects', ...projects]
  const listed = execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
  return new Set(listed.split('\n').map((file) => path.relative(root, file)))
}

function wrongWith(fault: GuardedFault, files: ReadonlySet<string>): readonly string[] {
  const about = `${fault.file}: ${fault.name}`
  const missing = fault.tests.filter((file) => !files.has(file))
  const wrong = missing.map((file) => `${about}: no test file ${file}`)
  try {
    const text = readFileSync(path.join(root, fault.file), 'utf8')
    return changedBy(fault, text) === text ? [...wrong, `${about}: changes nothing`] : wrong
  } catch (error) {
    return [...wrong, `${about}: ${error}`]
  }
}

describe('a change', () => {
  const [change] = inFile('a.ts', ['one', 'a + b', 'a - b', 'why'])

  it('is put in where its text stands', () => {
    expect(change && changedBy(change, 'return a + b\n')).toBe('return a - b\n')
  })

  it.each(['return a\n', 'a + b + a + b'])('fails where its text is not found once: %j', (text) => {
    expect(() => change && changedBy(change, text)).toThrow('a.ts: found')
  })
})

describe('which faults are put in', () => {
  const fault = (name: string, file: string) => ({
    ...inFile(file, [name, 'a', 'b', 'why'])[0],
    tests: ['x'],
  })
  const some = [
    { part: 'http', faults: [fault('a key is not cut', 'packages/http/src/address.ts')] },
    { part: 'queue', faults: [fault('a job is lost', 'packages/queue/src/http.ts')] },
  ] as typeof parts

  it.each([
    [[], ['a key is not cut', 'a job is lost']],
    [['queue'], ['a job is lost']],
    [['not cut'], ['a key is not cut']],
    [['packages/queue'], ['a job is lost']],
    [['nothing'], []],
  ])('--only %j: %j', (only, names) => {
    expect(chosenFaults(some, only).map(({ name }) => name)).toEqual(names)
  })

  it('is read from the command line', () => {
    expect(readOptions(['--only', 'http', '--only', 'queue', '--list'])).toEqual({
      only: ['http', 'queue'],
      from: 1,
      trusted: false,
      list: true,
      help: false,
    })
    expect(() => readOptions(['http'])).toThrow()
    expect(readOptions(['--from', '420']).from).toBe(420)
    expect(() => readOptions(['--from', 'x'])).toThrow(
      '--from must be a whole number of at least 1, not "x".',
    )
  })
})
