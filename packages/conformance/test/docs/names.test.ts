import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { headingsOf, page, root, sectionOf } from './pages.ts'

interface Manifest {
  readonly private?: boolean
  readonly name: string
  readonly exports?: Exports
  readonly publishConfig?: { readonly exports?: object }
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}
type Exports = { readonly [entry: string]: { readonly 'sluice-source': string } }

const published = readdirSync(path.join(root, 'packages'))
  .map((name) => path.join(root, 'packages', name))
  .map((folder) => ({ folder, manifest: manifestOf(folder) }))
  .filter(({ manifest }) => manifest.private !== true)

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
}

/** `@sluice/core/strategies` and the file it leads to, of every package that is published; some entries of theirs are not. */
const entries = published.flatMap(({ folder, manifest: { name, exports = {}, publishConfig } }) =>
  Object.keys(publishConfig?.exports ?? {})
    .filter((entry) => exports[entry]?.['sluice-source'] !== undefined)
    .map((entry) => {
      return [name + entry.slice(1), path.join(folder, exports[entry]?.['sluice-source'] ?? '')] as const
    }),
)

/** What an index file exports, types too: it names what other files hold, or is small. */
function exportsOf(file: string): { readonly names: readonly string[]; readonly values: readonly string[] } {
  const text = readFileSync(file, 'utf8')
  const lists = [...text.matchAll(/^export (type )?\{([^}]*)\}/gm)].flatMap(({ 1: type, 2: list = '' }) =>
    list.split(',').map((each) => `${type ?? ''}${each.trim().replace(/^\w+ as /, '')}`),
  )
  const own = [...text.matchAll(/^export (?:async )?(?:function|const) (\w+)/gm)].map(
    ({ 1: name = '' }) => name,
  )
  const types = [...text.matchAll(/^export (?:interface|type) (\w+)/gm)].map(
    ({ 1: name = '' }) => `type ${name}`,
  )
  const matters = [...text.matchAll(/^export \* as (\w+) from/gm)].map(({ 1: name = '' }) => name)
  const named = [...types, ...lists.filter((each) => !/^(type )?$/.test(each)), ...own, ...matters]
  const others = [...text.matchAll(/^export \* from '(.+)'/gm)].map(({ 1: other = '' }) =>
    exportsOf(path.resolve(path.dirname(file), other)),
  )
  return {
    names: [
      ...named.map((name) => name.replace('type ', '')),
      ...others.flatMap(({ names }) => names),
    ].sort(),
    values: [
      ...named.filter((name) => !name.startsWith('type ')),
      ...others.flatMap(({ values }) => values),
    ].sort(),
  }
}

const namesIn = (text: string) => [...text.matchAll(/`(\w+)`/g)].map(({ 1: name = '' }) => name)

/** Another library's interface: its names are explained in that library's documentation, and listed on the page on moving from it. */
const isFace = (entry: string) => entry.startsWith('@sluice/compat/')
const faces = entries.filter(([entry]) => isFace(entry))
const ours = entries.filter(([entry]) => !isFace(entry))

describe('docs/api.md', () => {
  const api = page('docs/api.md')
  const titles = (section: string) => [...section.matchAll(/^### (.+)$/gm)].map(({ 1: title = '' }) => title)

  test('has a section for each entry', () => {
    const sections = headingsOf(api).filter(({ level, title }) => level === 2 && title.startsWith('`@'))
    expect(sections.map(({ title }) => title.replaceAll('`', '')).sort()).toEqual(
      ours.map(([entry]) => entry).sort(),
    )
  })

  // What is unstable is not listed.
  const listed = ours.filter(([entry]) => !entry.endsWith('/internal'))
  test.each(listed)('has a heading for each name that %s exports', (entry, file) => {
    const section = sectionOf(api, `\`${entry}\``)
    expect(namesIn(titles(section).join(' ')).sort()).toEqual(exportsOf(file).names)
  })

  test.each(entries)('what %s is read to export is what it exports', (_entry, file) => {
    expect(Object.keys(require(file)).sort()).toEqual(exportsOf(file).values)
  })
})

test.each(entries.filter(([entry]) => !entry.endsWith('/internal')))(
  'the page of its package on npm names %s',
  (entry, file) => {
    const [folder = ''] = published.map((each) => each.folder).filter((each) => file.startsWith(`${each}/`))
    expect(readFileSync(path.join(folder, 'README.md'), 'utf8')).toMatch(new RegExp(`${entry}(?![\\w/-])`))
  },
)

test.each(faces)('the page of %s names each value that it exports', (entry, file) => {
  const { text } = page(`docs/moving/${path.basename(entry)}.md`)
  expect(exportsOf(file).values.filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([])
})

test('docs/http.md names each option of a middleware', () => {
  const source = (file: string) => readFileSync(path.join(root, 'packages', file), 'utf8')
  const listed = (text: string, name: string) =>
    [...(new RegExp(`${name} = \\[([^\\]]*)\\]`).exec(text)?.[1] ?? '').matchAll(/'(\w+)'/g)].map(
      ([, each = '']) => each,
    )
  const http = listed(source('http/src/rules.ts'), 'httpNames')
  const settings = listed(source('core/src/limiter/settings.ts'), 'settingNames')
  const { text } = page('docs/http.md')
  expect(Math.min(http.length, settings.length)).toBeGreaterThan(0)
  expect([...http, ...settings].filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([])
})

describe('the packages of docs/design.md', () => {
  const rows = [
    ...page('docs/design.md').text.matchAll(/^\| `(@sluice\/\w+)` \|[^|]*\|([^|]*)\|([^|]*)\|$/gm),
  ]
  const listed = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name).sort()

  test('are those that are published', () => {
    expect(rows.map(([, name]) => name).sort()).toEqual(published.map(({ manifest }) => manifest.name).sort())
  })

  test.each(published)('$manifest.name has the dependencies that the table says', ({ manifest }) => {
    const { name, dependencies = {}, peerDependencies = {}, peerDependenciesMeta: meta = {} } = manifest
    const [, , needed, optional] = rows.find((row) => row[1] === name) ?? []
    const peers = Object.keys(peerDependencies)
    const isOptional = (peer: string) => meta[peer]?.optional === true
    expect(listed(needed)).toEqual(
      [...Object.keys(dependencies), ...peers.filter((peer) => !isOptional(peer))].sort(),
    )
    expect(listed(optional)).toEqual(peers.filter(isOptional).sort())
  })
})

describe('docs/errors.md', () => {
  const errors = page('docs/errors.md')

  /** The codes in the sources of what is published: the others have none. What is read from the environment is none. */
  const codes = published.flatMap(({ folder }) => {
    const files = readdirSync(path.join(folder, 'src'), { recursive: true, encoding: 'utf8' })
    const texts = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.generated.ts'))
    return texts.flatMap(
      (file) =>
        readFileSync(path.join(folder, 'src', file), 'utf8').match(/(?<!\benv\.)\bSLUICE_[A-Z_]+/g) ?? [],
    )
  })

  test('has a heading for each code, and for no other', () => {
    const documented = headingsOf(errors).filter(({ title }) => title.startsWith('SLUICE_'))
    expect(documented.map(({ title }) => title).sort()).toEqual([...new Set(codes)].sort())
  })

  test.each([...new Set(codes)])('says of %s what happened, why it matters and what to do', (code) => {
    const parts = [...sectionOf(errors, code).matchAll(/^\*\*(.+)\.\*\*$/gm)].map(({ 1: part }) => part)
    expect(parts).toEqual(['What happened', 'Why it matters', 'What to do'])
  })
})

test('the pages that are named for options of other libraries have those headings', () => {
  const said = readFileSync(path.join(root, 'packages/core/src/other-libraries.ts'), 'utf8')
  const places = [...said.matchAll(/'([\w/-]+\.md(?:#[^']+)?)'/g)].map(([, place = '']) =>
    `docs/${place}`.split('#'),
  )
  expect(places.length).toBeGreaterThan(20)
  const lost = places.filter(([file = '', anchor]) => {
    return anchor !== undefined && !headingsOf(page(file)).some((heading) => heading.anchor === anchor)
  })
  expect(lost).toEqual([])
})

test('what the packages say names no page by its path in the repository, which a user does not have', () => {
  const paths = published.flatMap(({ folder }) =>
    readdirSync(path.join(folder, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => {
        const code = readFileSync(path.join(folder, 'src', file), 'utf8').replace(/^ *(?:\/?\*|\/\/).*/gm, '')
        return [...code.matchAll(/(?<!blob\/main\/)\bdocs\/[\w/-]+\.md/g)].map(
          ([found]) => `${file}: ${found}`,
        )
      }),
  )
  expect(paths).toEqual([])
})

describe('docs/strategies', () => {
  const list = readFileSync(path.join(root, 'packages/core/src/strategies/list.ts'), 'utf8')
  const strategies = [...list.matchAll(/(\w+) \} from '\.\/(\w+)\.ts'/g)]
    .map(({ 1: name = '' }) => name)
    .sort()

  test('has a page for each strategy, and for no other', () => {
    const names = readdirSync(path.join(root, 'docs/strategies')).map((file) => file.replace('.md', ''))
    expect(names.filter((name) => name !== 'README').sort()).toEqual(strategies)
  })

  test.each(['README.md', 'docs/strategies/README.md'])('the table of %s names each strategy', (file) => {
    const rows = [...page(file).text.matchAll(/^\| \[`(\w+)`\]/gm)].map(({ 1: name }) => name)
    expect(rows.sort()).toEqual(strategies)
  })

  test('the table of packages on the front page has each that is published, and no other', () => {
    const rows = [
      ...page('README.md').text.matchAll(/^\| \[`(@sluice\/\w+)`\]\(packages\/(\w+)\/README\.md\)/gm),
    ]
    expect(rows.map(([, name = '', folder]) => [name, folder]).sort()).toEqual(
      published.map(({ folder, manifest: { name } }) => [name, path.basename(folder)]).sort(),
    )
  })

  test("the core's README names each strategy, and counts them right", () => {
    const { text } = page('packages/core/README.md')
    const table = /^\| strategy \|.*\n.*\n((?:\|.*\n)+)/m.exec(text)?.[1] ?? ''
    const rows = [...table.matchAll(/^\| (.*?) \|/gm)].flatMap(({ 1: cell = '' }) => namesIn(cell))
    expect(rows.sort()).toEqual(strategies)
    const words = ['eight', 'nine', 'ten', 'eleven', 'twelve']
    expect(text).toContain(`: ${words[strategies.length - 8]} strategies, in `)
  })

  test.each(strategies)('the page of %s has the parts that all have', (name) => {
    const parts = headingsOf(page(`docs/strategies/${name}.md`)).filter(({ level }) => level === 2)
    expect(parts.map(({ title }) => title)).toEqual([
      'What it allows',
      'In time',
      'How exact it is',
      'What it costs',
      'Waits and giving back',
      'When to use another strategy',
    ])
  })
})
