import type { Section } from '../sections.ts'
import type { Source } from '../sources.ts'
import type { SearchEntry } from './engine.ts'

/**
 * What the search looks through, as a script: a page that is opened from a file may load no data otherwise. Of the reference only the
 * beginnings of its pages, or it would hide what people wrote.
 */
export function searchScript(
  pages: ReadonlyMap<Source, readonly Section[]>,
  reference: ReadonlySet<Source>,
): string {
  const entries = [...pages].flatMap(([source, all]) =>
    entriesOf(source, reference.has(source) ? all.slice(0, 1) : all),
  )
  return `window.sluiceSearch=${JSON.stringify(entries)}\n`
}

export function entriesOf({ url, title }: Source, sections: readonly Section[]): readonly SearchEntry[] {
  return sections.map(({ level, title: heading, anchor, text }) => [
    level === 1 ? url : `${url}#${anchor}`,
    title,
    level === 1 ? '' : heading,
    text,
  ])
}
