import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { explain } from '../src/explain.ts'
import { readLimitsText } from '../src/read.ts'
import { saidOf } from './problems.ts'

const page = readFileSync(path.join(__dirname, '../../../docs/limits.md'), 'utf8')
const [format = '', mistakes = ''] = page.split('\n## Common mistakes\n')
const blocks = (text: string, info: string) =>
  [...text.matchAll(new RegExp(`^\`\`\`${info}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, block = '']) => block)

describe('docs/limits.md', () => {
  const files = blocks(format, 'yaml')

  it.each(files)('shows files that are right: %#', (file) => {
    expect(saidOf(file, 'limits.yaml')).toEqual([])
  })

  it('says of its first file what sluice explain says', () => {
    const explained = explain(readLimitsText(files[0] ?? ''), ['user', 'alex', 'trade'])
    const [printed = ''] = blocks(format, 'text')
    expect(printed.replaceAll(/ +/g, ' ').trim().split('\n')).toEqual([
      ...explained.map(({ level, text }) => `${level} ${text}`),
      'charge: every-level',
    ])
  })

  const sections = mistakes.split('\n### ').slice(1)
  const shown = sections.map((section) => [section.split('\n')[0], section] as const)

  it('shows ten mistakes', () => {
    expect(shown).toHaveLength(10)
  })

  it.each(shown)('says of a mistake what is really said: %s', (_title, section) => {
    const [file = ''] = blocks(section, 'yaml')
    const [said = ''] = blocks(section, 'text')
    expect(saidOf(file, 'limits.yaml')).toEqual(said.trimEnd().split('\n'))
  })
})
