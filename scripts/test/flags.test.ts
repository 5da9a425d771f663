import path from 'node:path'
import { beforeAll, describe, expect, it } from '@jest/globals'
import { ended, scripts } from './small-project.ts'

const root = path.join(scripts, '..')

/** Of each of these lines of flags: what becomes of it, or the message of what it throws. */
async function apart(lines: readonly string[]): Promise<readonly string[]> {
  const program = `
    import { withPathsApart } from ${JSON.stringify(path.join(scripts, 'flags.mjs'))}
    for (const line of process.argv.slice(1)) {
      try {
        console.log(withPathsApart(line.split(' '), ['unit', 'redis']).flags.join(' '))
      } catch (error) {
        console.log(error.message)
      }
    }`
  const { stdout } = await ended(
    process.execPath,
    ['--input-type=module', '--eval', program, '--', ...lines],
    { cwd: root },
  )
  return stdout.trimEnd().split('\n')
}

// biome-ignore format: a table
const rows = [
  // flags                                                what jest gets
  ['gcra',                                                'gcra'],
  ['-t gcra',                                             '-t gcra'],
  ['--selectProjects redis',                              '--selectProjects redis'],
  ['--selectProjects redis unit -t gcra',                 '--selectProjects redis unit -t gcra'],
  ['--selectProjects redis store/x.test.ts',              'store/x.test.ts --selectProjects redis'],
  ['--selectProjects redis a unit b --runInBand c',       'a b --selectProjects redis unit --runInBand c'],
  ['--selectProjects=redis a',                            'a --selectProjects=redis'],
  ['--select-projects redis a',                           'a --select-projects redis'],
  ['--ignoreProjects redis a',                            'a --ignoreProjects redis'],
  ['--selectProjects redis -- unit a',                    '--selectProjects redis -- unit a'],
  ['--selectProjects rediss',                             '--selectProjects needs the name of a project; there are unit, redis.'],
  ['--selectProjects --runInBand',                        '--selectProjects needs the name of a project; there are unit, redis.'],
] as const

describe('flags of npm test', () => {
  let found: readonly string[]
  beforeAll(async () => {
    found = await apart(rows.map(([flags]) => flags))
  })

  it.each(rows.map((row, nth) => [...row, nth] as const))('%s', (_flags, expected, nth) => {
    expect(found[nth]).toBe(expected)
  })

  it('that name no project are said to, before the last line', async () => {
    const { code, stdout, stderr } = await ended(
      process.execPath,
      ['scripts/run.mjs', 'test', '--selectProjects', 'rediss'],
      { cwd: root },
    )
    expect({ code, stdout }).toEqual({ code: 1, stdout: '\n0 passed, 1 failed\n' })
    expect(stderr).toMatch(
      /^--selectProjects needs the name of a project; there are unit, redis, stores, outage,/m,
    )
  })

  it('are refused by jest started by hand where it would take a path for a project', async () => {
    const flags = ['--selectProjects', 'docs', 'scripts/test/flags', '--listTests']
    const { code, stderr } = await ended(path.join(root, 'node_modules/.bin/jest'), flags, { cwd: root })
    expect(code).toBe(1)
    expect(stderr).toContain('No project: scripts/test/flags. A path goes before --selectProjects.')
  })
})
