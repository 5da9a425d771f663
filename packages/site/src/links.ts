import path from 'node:path'

/** What a site's links need to know. */
export interface LinkTargets {
  /** The addresses of the files that are pages. */
  readonly pages: ReadonlyMap<string, string>
  /** Where the sources are read by people, without a slash at its end; null: unknown, and such links are left out. */
  readonly repository: string | null
}

/** Any folder that is deeper than what links lead out of: an earlier version links to the latest. */
const site = '/a/b/c/d'

const outside = /^[a-z]+:/

/** The address to write for a link on a page; null where it leads nowhere outside the repository's own files. */
export function linkFrom(
  source: { readonly file: string; readonly url: string },
  link: string,
  { pages, repository }: LinkTargets,
): string | null {
  if (link.startsWith('#')) return link
  const [target = '', anchor] = link.split('#')
  const own = `${repository}/blob/main/`
  // A package's README names pages by their addresses, as npm shows it alone.
  if (outside.test(link) && !pages.has(target.replace(own, ''))) return link
  const file = target.startsWith(own)
    ? target.slice(own.length)
    : path.posix.join(path.posix.dirname(source.file), target)
  const hash = anchor === undefined ? '' : `#${anchor}`
  const url = pages.get(file)
  if (url !== undefined) return `${relativeUrl(source.url, url)}${hash}`
  return repository === null ? null : `${repository}/blob/main/${file}${hash}`
}

/** From one page of the site to another: nothing but relative links work from files. */
export function relativeUrl(from: string, to: string): string {
  return path.posix.relative(path.posix.join(site, path.posix.dirname(from)), path.posix.join(site, to))
}

/** Where a page is edited. */
export function editUrl(file: string, repository: string | null): string | null {
  return repository === null ? null : `${repository}/edit/main/${file}`
}
