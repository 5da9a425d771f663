import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import { catalogue } from '@sluice/core/internal'
import { root } from './pages.ts'

/** The table of a strategy's page, which follows from its declared options. */
function tableOf({ options }: catalogue.DeclaredStrategy): string {
  const insteadOf: { readonly [replaced: string]: string } = Object.fromEntries(
    Object.entries(options).flatMap(([name, option]) =>
      option.insteadOf === undefined ? [] : [[option.insteadOf, name]],
    ),
  )
  const rows = Object.entries(options).map(
    ([name, option]) =>
      `| \`${name}\` | ${takes(option)} | ${otherwise(option, insteadOf[name])} | ${option.about} |`,
  )
  return ['| option | value | default | meaning |', '| --- | --- | --- | --- |', ...rows, ''].join('\n')
}

function takes(option: catalogue.StrategyOption): string {
  switch (option.kind) {
    case 'count': {
      const { min = 1, max } = option
      const bound =
        typeof max === 'number' ? `from ${min} to ${max.toLocaleString('en')}` : `of at least ${min}`
      return `a whole number ${bound}`
    }
    case 'duration': {
      const range = option.range === undefined ? '' : ` from ${option.range.join(' to ')}`
      return `a duration${range}${option.zero ? ' or 0' : ''}`
    }
    case 'choice':
      return option.choices.map((choice) => `\`'${choice}'\``).join(' or ')
    case 'time zone':
      return "a time zone such as `'Europe/Vienna'`"
    case 'calendar':
      return `${option.choices.map((choice) => `\`'${choice}'\``).join(' or ')}, alone or [with where it begins](../calendars.md)`
    case 'blockFor':
      return 'a duration, or [options](../blocking.md#all-options)'
    case 'windows':
      return `a list of 1 to ${option.max} limits such as \`{ limit: 1000, window: '1s' }\``
  }
}

function otherwise(option: catalogue.StrategyOption, instead: string | undefined): string {
  const { default: value, insteadOf, only } = option
  if (insteadOf !== undefined) return `\`${insteadOf}\` is given`
  if (instead !== undefined) return `required, or \`${instead}\` instead`
  const where =
    only === undefined ? '' : ` with \`${only.with}${only.is === undefined ? '' : `: '${only.is}'`}\``
  return `${valueWords(value)}${where}`
}

function valueWords(value: catalogue.StrategyOption['default']): string {
  if (value === undefined) return 'required'
  if (typeof value === 'object') return value.words
  return `\`${typeof value === 'string' ? `'${value}'` : value}\``
}

const table = /^\| option \|.*\n(?:\|.*\n)+/m

test.each([...catalogue.declaredStrategies.values()])(
  'the page of $name says what its options are',
  (declared) => {
    const file = path.join(root, 'docs/strategies', `${declared.name}.md`)
    const text = readFileSync(file, 'utf8')
    if (process.env.SLUICE_WRITE_OPTIONS) {
      const without = text.replace(table, '').replace(/\n{3,}/, '\n\n')
      const written = without.replace('\n## What it allows\n', `\n${tableOf(declared)}\n## What it allows\n`)
      if (written !== text) writeFileSync(file, written)
    }
    expect(table.exec(readFileSync(file, 'utf8'))?.[0]).toBe(tableOf(declared))
  },
)
