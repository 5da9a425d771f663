import { copyFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { asOnPage, commandsOn, markedOn, pageText, printedBy } from '../page-commands.ts'
import { folderWith } from '../sluice.ts'

const text = pageText('sizing.md')
const commands = commandsOn(text)
const files = [...text.matchAll(/^<!-- file (\S+) -->\n```yaml\n([\s\S]*?)^```$/gm)].map(
  ([, name = '', content = '']) => [name, content] as const,
)

let folder = ''
beforeAll(() => {
  folder = folderWith(Object.fromEntries(files))
  copyFileSync(path.resolve(__dirname, '../../sample/access.log.gz'), path.join(folder, 'access.log.gz'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('has commands to run, each with what it prints', () => {
  expect(commands.length).toBe(markedOn(text))
  expect(commands.length).toBeGreaterThan(5)
})

it.each(commands)('prints what the page says: %s', async (command, printed) => {
  expect(asOnPage(await printedBy(command, folder), printed)).toBe(printed)
})
