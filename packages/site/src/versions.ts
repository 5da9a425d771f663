import { execFileSync } from 'node:child_process'

/** A version whose pages can be read. */
export interface Version {
  readonly name: string
  /** Its folder on the site; the current one is the site itself. */
  readonly folder: string
  /** The tag that it is built from; null for the current one, which is what is checked out. */
  readonly tag: string | null
}

/** The current version, then those of the tags, the newest first. */
export function versionsOf(current: string, tags: readonly string[]): readonly Version[] {
  const earlier = tags
    .filter((tag) => /^v\d+\.\d+\.\d+$/.test(tag) && tag !== `v${current}`)
    .map((tag) => ({ name: tag.slice(1), folder: `versions/${tag.slice(1)}`, tag }))
    .sort((a, b) => compare(b.name, a.name))
  return [{ name: current, folder: '', tag: null }, ...earlier]
}

/** By its numbers: 0.10.0 comes after 0.9.0. */
function compare(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true })
}

/** None where there is no git, as in an archive of the sources. */
export function tagsOf(root: string): readonly string[] {
  try {
    return execFileSync('git', ['tag', '--list', 'v*'], { cwd: root, encoding: 'utf8' }).split('\n')
  } catch {
    return []
  }
}
