import { rmSync } from 'node:fs'
import { afterAll, expect, it } from '@jest/globals'
import { asOnPage, commandsOn, markedOn, pageText, printedBy } from '../page-commands.ts'
import { folderWith } from '../sluice.ts'

const text = pageText('plan.md')
const commands = commandsOn(text)
const folder = folderWith({})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('has commands to run, each with what it prints', () => {
  expect(commands.length).toBe(markedOn(text))
  expect(commands.length).toBe(text.match(/^npx sluice plan --users/gm)?.length)
  expect(commands.length).toBeGreaterThan(3)
})

it.each(commands)('prints what the page says: %s', async (command, printed) => {
  expect(asOnPage(await printedBy(command, folder), printed)).toBe(printed)
})
