import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { Eleventy } from '@11ty/eleventy'
import { type DashboardPages, writeAssets } from './assets.ts'
import { editUrl, relativeUrl } from './links.ts'
import { markdown } from './markdown.ts'
import { type Entry, type Group, navigation } from './navigation.ts'
import { readReference } from './reference.ts'
import { sampleScript } from './sample-script.ts'
import { searchScript } from './search/script.ts'
import { type Section, sectionsOf } from './sections.ts'
import { readSources, type Source } from './sources.ts'
import type { Version } from './versions.ts'

export interface SiteOptions {
  /** The repository whose pages are shown. */
  readonly root: string
  /** The folder of this package: layouts, styles and scripts. */
  readonly own: string
  /** Made anew. */
  readonly out: string
  /** Where people read the sources, such as `https://example.com/owner/name`; null leaves out links to them. */
  readonly repository: string | null
  /** The current one first. */
  readonly versions: readonly Version[]
  readonly dashboard: DashboardPages
  /** Whether to make the reference from the types, which takes most of the time. */
  readonly types: boolean
}

/** Builds the site, and below it one of each earlier version. Answers the number of pages. */
export async function buildSite(options: SiteOptions): Promise<number> {
  const { root, out, versions } = options
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  let pages = 0
  for (const version of versions) {
    if (version.tag === null) {
      pages += await buildVersion(options, version)
      continue
    }
    const folder = mkdtempSync(path.join(tmpdir(), 'sluice-site-'))
    try {
      const archive = execFileSync('git', ['archive', version.tag], { cwd: root, maxBuffer: 1 << 30 })
      execFileSync('tar', ['-x', '-C', folder], { input: archive })
      pages += await buildVersion({ ...options, root: folder }, version)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  return pages
}

async function buildVersion(options: SiteOptions, version: Version): Promise<number> {
  const { root, own, repository, versions, dashboard } = options
  const out = path.join(options.out, version.folder)
  const sources = readSources(root)
  // Types are read from what is installed, which is only the current version.
  const reference = version.tag === null && options.types ? readReference(root, own) : []
  const all = [...sources, ...reference]
  const md = markdown({ pages: new Map(all.map(({ file, url }) => [file, url])), repository })
  const groups = withReference(navigation(sources), reference)
  const order = groups.flatMap(({ entries }) => entries)
  const sections = new Map(all.map((source) => [source, sectionsOf(md, source.text, { source })]))

  await writeAssets({ root, page: path.join(own, 'page') }, out, dashboard)
  writeFileSync(path.join(out, 'assets/search-data.js'), searchScript(sections, new Set(reference)))
  const log = gunzipSync(readFileSync(path.join(root, 'packages/cli/sample/access.log.gz')))
  writeFileSync(path.join(out, 'assets/sample-data.js'), sampleScript(log.toString()))
  const input = path.join(own, 'pages')
  const eleventy = new Eleventy(path.relative(process.cwd(), input), out, {
    quietMode: true,
    configPath: null,
    config(config) {
      config.setUseGitIgnore(false)
      config.setQuietMode(true)
      config.setIncludesDirectory('../layouts')
      config.setLibrary('md', md)
      config.addGlobalData('site', { groups, repository, version, versions: linksTo(versions, version) })
      config.addFilter('from', (to: string, url: string) => relativeUrl(url, to))
      for (const source of all) {
        config.addTemplate(`${source.url.replace(/\.html$/, '')}.md`, source.text, {
          ...pageData(source, order, sections.get(source) ?? []),
          edit: reference.includes(source) ? null : editUrl(source.file, repository),
        })
      }
    },
  })
  const [, written] = await eleventy.write()
  return written.length
}

function pageData(source: Source, order: readonly Entry[], sections: readonly Section[]): object {
  const { url, title, file } = source
  const place = order.findIndex((entry) => entry.url === url)
  return {
    layout: file === 'README.md' ? 'home.njk' : 'page.njk',
    templateEngineOverride: 'md',
    permalink: url,
    source: { file, url },
    title,
    contents: sections.filter(({ level }) => level === 2),
    previous: order[place - 1] ?? null,
    next: place === -1 ? null : (order[place + 1] ?? null),
  }
}

/** The reference made from the types stands beside the one that people wrote. */
function withReference(groups: readonly Group[], reference: readonly Source[]): readonly Group[] {
  const [index] = reference
  if (index === undefined) return groups
  return groups.map((group) =>
    group.title === 'Reference'
      ? { ...group, entries: [...group.entries, { title: 'From the types', url: index.url }] }
      : group,
  )
}

/** The versions as one of them links to the others. */
function linksTo(versions: readonly Version[], shown: Version): readonly object[] {
  const up = shown.folder === '' ? '' : '../../'
  return versions.map(({ name, folder }) => ({
    name,
    url: `${up}${folder === '' ? '' : `${folder}/`}index.html`,
    isShown: name === shown.name,
  }))
}
