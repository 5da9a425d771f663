import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { markdown } from '../src/markdown.ts'
import { navigation, withoutPlace } from '../src/navigation.ts'
import { sectionsOf } from '../src/sections.ts'
import { readSources, type Source, sourceOf } from '../src/sources.ts'

const root = path.resolve(__dirname, '../../..')
const sources = readSources(root)
const targets = { pages: new Map(sources.map(({ file, url }) => [file, url])), repository: null }
const md = markdown(targets)

const anchors = new Map(
  sources.map((source) => [
    source.url,
    new Set(sectionsOf(md, source.text, { source }).map(({ anchor }) => anchor)),
  ]),
)

/** What is wrong with an address on a page; undefined where it leads somewhere. */
function problemOf({ url }: Source, href: string): string | undefined {
  if (/^https?:/.test(href)) return undefined
  const [target = '', anchor] = href.split('#')
  const to = target === '' ? url : path.posix.join(path.posix.dirname(url), target)
  if (to.startsWith('images/'))
    return existsSync(path.join(root, 'docs', to)) ? undefined : `${href}: no such picture`
  // The playground's own page; what stands behind its # is a scene.
  if (to === 'playground.html') return undefined
  const known = anchors.get(to)
  if (known === undefined) return `${href}: no such page`
  return anchor === undefined || known.has(anchor) ? undefined : `${href}: ${to} has no such heading`
}

test('every page has its place in the navigation: add it to src/navigation.ts', () => {
  expect(withoutPlace(sources)).toEqual([])
})

test('a page without a place is still shown, last', () => {
  const lost = sourceOf('docs/new.md', '# New\n')
  expect(navigation([...sources, lost]).at(-1)).toEqual({
    title: 'More',
    entries: [{ title: 'New', url: 'new.html' }],
  })
})

test('the front page leads to every page but those of single strategies and packages, in the groups of the navigation', () => {
  const front = sources.find(({ file }) => file === 'README.md')
  const [, next = ''] = front?.text.split('\n## Where next\n') ?? []
  const parts = next.split('\n## ')[0]?.split('\n### ').slice(1) ?? []
  const led = parts.map((part) => {
    const [title = '', ...lines] = part.split('\n')
    const links = [...lines.join('\n').matchAll(/(?<!!)\[[^\]]*\]\(([^)#]+)\)/g)].map(([, file = '']) => file)
    return { title, urls: links.flatMap((file) => targets.pages.get(file) ?? file).sort() }
  })
  const single = /^strategies\/(?!index\.html$)/
  const shown = navigation(sources)
    .filter(({ title }) => title !== 'Packages')
    .map(({ title, entries }) => {
      const urls = entries.map(({ url }) => url)
      return { title, urls: urls.filter((url) => url !== 'index.html' && !single.test(url)).sort() }
    })
  expect(led).toEqual(shown)
})

test('no page is listed twice', () => {
  const urls = navigation(sources).flatMap(({ entries }) => entries.map(({ url }) => url))
  expect(urls).toHaveLength(new Set(urls).size)
  expect(urls).toHaveLength(sources.length)
})

test.each(sources.map((source) => [source.file, source] as const))(
  'the links of %s lead somewhere',
  (_, source) => {
    const html = md.render(source.text, { source })
    const addresses = [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, address = '']) => address)
    expect(addresses.flatMap((address) => problemOf(source, address) ?? [])).toEqual([])
  },
)

test('headings that are alike have different anchors, as GitHub makes them', () => {
  const source = sourceOf('docs/one.md', '# One\n\n## A `b`, c\n\n## A `b`, c\n')
  expect(sectionsOf(md, source.text, { source }).map(({ anchor }) => anchor)).toEqual([
    'one',
    'a-b-c',
    'a-b-c-1',
  ])
})

describe('a link to a file that is no page', () => {
  const source = sourceOf('docs/one.md', '# One\n\nSee [the *script*](../scripts/run.mjs), [this](two.md).\n')

  test('leads to the repository where that is known', () => {
    const known = markdown({
      pages: new Map([['docs/two.md', 'two.html']]),
      repository: 'https://example.com/sluice',
    })
    expect(known.render(source.text, { source })).toContain(
      '<a href="https://example.com/sluice/blob/main/scripts/run.mjs">the <em>script</em></a>, <a href="two.html">this</a>',
    )
  })

  test('keeps only its words where it is not', () => {
    const unknown = markdown({ pages: new Map([['docs/two.md', 'two.html']]), repository: null })
    expect(unknown.render(source.text, { source })).toContain(
      'See the <em>script</em>, <a href="two.html">this</a>.',
    )
  })
})
