import { expect, it } from '@jest/globals'
import { blocksOf, type Page, pages } from './pages.ts'

/** Commands of a page that install packages of ours, or start the command line with them. */
function installsOn(page: Page): readonly string[] {
  return blocksOf(page)
    .filter(({ info }) => info === 'sh' || info === 'dockerfile')
    .flatMap(({ code }) => code.split('\n'))
    .filter((line) => /\bnpm install .*@sluice\/|\bnpx --package @sluice\//.test(line))
}

const installing = pages().filter((page) => installsOn(page).length > 0)

const named = installing.map((page) => [page.file, page] as const)

it.each(named.filter(([, { text }]) => /\brediss?:\/\/|\bREDIS_URL\b/.test(text)))(
  '%s installs the client of a Redis that it names by a URL, or says how',
  (_, page) => expect(page.text).toMatch(/npm install .*\bioredis\b|--package ioredis\b/),
)

it.each(named)('what %s starts by npx has all that it needs', (_, page) => {
  const commands = installsOn(page).filter((line) => line.includes('npx --package'))
  // What needs no Redis.
  const alone = /sluice (crowd|validate|explain|compare [^-]|plan)/
  const wrong = commands.filter((line) => !alone.test(line) && !line.includes('--package ioredis'))
  expect(wrong).toEqual([])
  expect(commands.filter((line) => / serve /.test(line) && !line.includes('@sluice/server'))).toEqual([])
})
