import path from 'node:path'
import { expect, it } from '@jest/globals'
import { ended, scripts } from './small-project.ts'

/** Where one is added another has to go, as somebody has to know them all; where one has gone, the lower number stands here. `all`: with those that are reached by the name of a matter. */
const most: { readonly [pkg: string]: { readonly names: number; readonly all: number } } = {
  core: { names: 47, all: 145 },
  http: { names: 59, all: 59 },
  state: { names: 7, all: 7 },
}

interface Report {
  readonly names: number
  readonly all: number
  readonly unused: readonly string[]
}

async function reportOf(pkg: string): Promise<Report> {
  const program = `
    import { countOfNames, unusedNames } from ${JSON.stringify(path.join(scripts, 'internal-names.mjs'))}
    console.log(JSON.stringify({ ...countOfNames('${pkg}'), unused: unusedNames('${pkg}') }))`
  const { stdout } = await ended(process.execPath, ['--input-type=module', '-e', program], { cwd: scripts })
  return JSON.parse(stdout)
}

it.each(Object.keys(most))(
  'what our packages use of @sluice/%s has no more names than before, and each is used',
  async (pkg) => {
    const { names, all, unused } = await reportOf(pkg)
    expect({ names, all }).toEqual(most[pkg])
    expect(unused).toEqual([])
  },
)
