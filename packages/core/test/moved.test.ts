import { execFile } from 'node:child_process'
import path from 'node:path'
import { expect, it } from '@jest/globals'

/** What Node prints of a program that fails, where @sluice/core is installed. */
async function complaintOf(program: string, form: 'module' | 'commonjs'): Promise<string> {
  const cwd = path.join(__dirname, '..')
  return new Promise((resolve) => {
    execFile(process.execPath, [`--input-type=${form}`, '-e', program], { cwd }, (_error, _stdout, stderr) =>
      resolve(stderr),
    )
  })
}

it.each(['http', 'testing'])(
  '@sluice/core/%s says where it is now, whatever is imported from it',
  async (entry) => {
    const from = `@sluice/core/${entry}`
    const said = `'${from}' is '@sluice/${entry}' now: npm install @sluice/${entry}`
    for (const program of [
      `import { nobody } from '${from}'`,
      `import anything from '${from}'`,
      `import '${from}'`,
      `await import('${from}')`,
    ])
      expect(await complaintOf(program, 'module')).toContain(said)
    expect(await complaintOf(`const { nobody } = require('${from}')`, 'commonjs')).toContain(said)
  },
)
