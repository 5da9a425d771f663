import { rmSync } from 'node:fs'
import { afterAll, expect, it } from '@jest/globals'
import { asOnPage, commandsOn, markedOn, pageText, printedBy } from '../page-commands.ts'
import { folderWith } from '../sluice.ts'
import { formatGroups } from './formats/formats.ts'

const text = pageText('logs.md')
const commands = commandsOn(text)
const [, log = ''] = /^<!-- file chain\.log -->\n```text\n([\s\S]*?)^```$/m.exec(text) ?? []
const folder = folderWith({ 'chain.log': log })
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('has commands to run, each with what it prints', () => {
  expect(commands.length).toBe(markedOn(text))
  expect(commands.length).toBe(2)
})

it.each(commands)('prints what the page says: %s', async (command, printed) => {
  expect(asOnPage(await printedBy(command, folder), printed)).toBe(printed)
})

it.each(Object.entries(formatGroups))('lists the formats that are tried: %s', (group, formats) => {
  const names = formats.map(({ name }) => name.replaceAll('|', '\\|'))
  expect(text).toContain(`| ${group} | ${names.join('; ')} |`)
})
