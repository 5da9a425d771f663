import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from '@jest/globals'
import { changedBy } from '@sluice/faults/single'
import { singleFaults } from '../src/faults/list.ts'
import { foundHistories } from '../src/found.ts'

const sources = new URL('../../', import.meta.url)

it('there are at least fifty single faults, each with a name of its own', () => {
  expect(singleFaults.length).toBeGreaterThanOrEqual(50)
  expect(new Set(singleFaults.map(({ name }) => name)).size).toBe(singleFaults.length)
})

it.each(singleFaults)('$file: $name: its place is found once', (fault) => {
  const text = readFileSync(fileURLToPath(new URL(fault.file, sources)), 'utf8')
  expect(changedBy(fault, text)).not.toBe(text)
})

// `npm run simulate:faults -- --kept` plays them.
it.each(foundHistories().filter(({ fault }) => fault !== undefined))(
  '$name is kept for a fault that there is: $fault',
  ({ fault }) => {
    expect(singleFaults.map(({ name }) => name)).toContain(fault)
  },
)
