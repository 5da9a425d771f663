// What `npm run test:times` runs: the tests, and then a table of what they took of the processor, to which a busy machine adds little.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from './test.mjs'

const slowest = 50

/** As `npm test`, with the same flags. Answers the exit code. */
export async function times(flags) {
  const folder = mkdtempSync(path.join(tmpdir(), 'times-'))
  const file = path.join(folder, 'files')
  process.env.SLUICE_TEST_TIMES = file
  try {
    const code = await test(flags)
    if (existsSync(file))
      console.log(['', ...tableOf(readFileSync(file, 'utf8').trim().split('\n'))].join('\n'))
    return code
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Of each project, all, and the slowest files; a line is what scripts/jest/measure.mjs notes of a file. */
function tableOf(lines) {
  const files = lines.map((line) => JSON.parse(line)).sort((a, b) => b.seconds - a.seconds)
  const sums = new Map()
  for (const { project, seconds } of files) {
    for (const name of [project, 'all']) sums.set(name, (sums.get(name) ?? 0) + seconds)
  }
  const rows = [
    ...sums,
    ['', undefined],
    ...files.slice(0, slowest).map(({ file, seconds }) => [file, seconds]),
  ]
  return rows.map(([name, seconds]) => `${(seconds?.toFixed(1) ?? '').padStart(7)}  ${name}`)
}
