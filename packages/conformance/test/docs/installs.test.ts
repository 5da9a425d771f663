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

/** Commands of a page, each with what stands above it: its reader has read that. */
function commandsOn(page: Page): readonly (readonly [command: string, above: string])[] {
  return blocksOf(page)
    .filter(({ info }) => info === 'sh' || info === 'dockerfile')
    .flatMap(({ code, line }) =>
      code.split('\n').map((command, i) => {
        const above = page.text.split('\n').slice(0, line + i - 1)
        return [command, above.join('\n')] as const
      }),
    )
}

/** A package of that name on the registry would be somebody else's, and npx would run it. */
it.each(pages().map((page) => [page.file, page] as const))(
  '%s says above each `sluice` whose command that is',
  (_, page) => {
    const ours = /npm install .*@sluice\/cli\b|alias sluice='npx --package @sluice\/cli |\bcheckout\b/
    const bare = commandsOn(page).filter(([command]) => /^(RUN |time )?(npx )?sluice\b/.test(command))
    expect(bare.filter(([, above]) => !ours.test(above)).map(([command]) => command)).toEqual([])
  },
)
