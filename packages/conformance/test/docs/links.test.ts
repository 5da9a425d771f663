import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import { headingsOf, type Page, page, pages, proseOf, root } from './pages.ts'

const outside = /^[a-z]+:/
/** Where this repository is read by those who have only a package. */
const home = String(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).bugs).replace(
  /\/issues$/,
  '',
)

function linksOf(of: Page): readonly string[] {
  return [...proseOf(of).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
}

/** What is wrong with a link from a page; undefined where it leads somewhere. */
function problemOf(from: string, link: string): string | undefined {
  const [target = '', anchor] = link.split('#')
  const file = target === '' ? from : path.posix.join(path.posix.dirname(from), target)
  if (!existsSync(path.join(root, file))) return `${link}: there is no ${file}`
  if (anchor === undefined) return undefined
  const anchors = headingsOf(page(file)).map((heading) => heading.anchor)
  return anchors.includes(anchor) ? undefined : `${link}: ${file} has no heading of that name`
}

test.each(pages().map((of) => [of.file, of] as const))('the links of %s lead somewhere', (file, of) => {
  const inside = linksOf(of).filter((link) => !outside.test(link))
  const absolute = linksOf(of).filter((link) => link.startsWith(`${home}/blob/main/`))
  const own = absolute.map((link) =>
    path.posix.relative(path.posix.dirname(file), link.slice(`${home}/blob/main/`.length)),
  )
  expect([...inside, ...own].flatMap((link) => problemOf(file, link) ?? [])).toEqual([])
})

function isPublished(file: string): boolean {
  const [packages = '', name = ''] = file.split('/')
  const manifest = readFileSync(path.join(root, packages, name, 'package.json'), 'utf8')
  return JSON.parse(manifest).private !== true
}

// npm shows a package's page without the repository around it.
test.each(pages().filter(({ file }) => /^packages\//.test(file) && isPublished(file)))(
  'the links of $file stay inside the package',
  (of) => {
    expect(linksOf(of).filter((link) => link.includes('../'))).toEqual([])
  },
)

test('each alert links to what to do', () => {
  const [, ...rules] = readFileSync(
    path.join(root, 'packages/telemetry/ops/prometheus-alerts.yaml'),
    'utf8',
  ).split('- alert: ')
  const links = rules.map((rule) => /runbook_url: (\S+)/.exec(rule)?.[1]?.replace(`${home}/blob/main/`, ''))
  expect(links).not.toHaveLength(0)
  expect(links.map((link) => (link === undefined ? rules : problemOf('README.md', link)))).toEqual(
    links.map(() => undefined),
  )
})

test('the alert of a store that does not answer leads to what to do without it', () => {
  const alerts = readFileSync(path.join(root, 'packages/telemetry/ops/prometheus-alerts.yaml'), 'utf8')
  const [, rule = ''] = alerts.split('- alert: SluiceStoreDown')
  expect(/runbook_url: (\S+)/.exec(rule)?.[1]).toMatch(/incident\.md#redis-is-away$/)
})
