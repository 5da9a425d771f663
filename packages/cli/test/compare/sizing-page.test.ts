import { execFile } from 'node:child_process'
import { copyFileSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { folderWith, program } from '../sluice.ts'

const root = path.resolve(__dirname, '../../../..')
const text = readFileSync(path.join(root, 'docs/sizing.md'), 'utf8')

/** Of each `<!-- run -->` the command, and what the page says it prints; a line of … stands for any lines. */
const commands = [...text.matchAll(/^<!-- run -->\n```sh\n(.*)\n```\n\n```text\n([\s\S]*?)^```$/gm)].map(
  ([, command = '', printed = '']) => [command, printed] as const,
)
const files = [...text.matchAll(/^<!-- file (\S+) -->\n```yaml\n([\s\S]*?)^```$/gm)].map(
  ([, name = '', content = '']) => [name, content] as const,
)

const run = promisify(execFile)

let folder = ''
beforeAll(() => {
  folder = folderWith(Object.fromEntries(files))
  copyFileSync(path.resolve(__dirname, '../../sample/access.log.gz'), path.join(folder, 'access.log.gz'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What was printed, with lines of … where the page has them: equal to the page where the page is right. */
function asOnPage(output: string, printed: string): string {
  const parts = printed.split(/^…\n/m)
  let rest = output
  const found = parts.map((part, i) => {
    const last = i === parts.length - 1
    const at = last ? rest.length - part.length : rest.indexOf(part)
    const shown = i === 0 && parts.length === 1 ? rest : rest.slice(at, at + part.length)
    rest = rest.slice(at + part.length)
    return at >= 0 && (i > 0 || at === 0) ? shown : output
  })
  return found.join('…\n')
}

it('has commands to run, each with what it prints', () => {
  expect(commands.length).toBe(text.match(/^<!-- run -->$/gm)?.length)
  expect(commands.length).toBeGreaterThan(5)
})

it.each(commands)('prints what the page says: %s', async (command, printed) => {
  const line = command.replace(/^npx sluice /, `'${process.execPath}' '${await program()}' `)
  const { stdout } = await run('sh', ['-c', line], { cwd: folder })
  expect(asOnPage(stdout, printed)).toBe(printed)
})
