import type { Section } from './sections.ts'
import type { Source } from './sources.ts'

/**
 * What the search looks through, as a script: a page that is opened from a file may load no data otherwise. Of the reference only the
 * beginnings of its pages, or it would hide what people wrote.
 */
export function searchScript(
  pages: ReadonlyMap<Source, readonly Section[]>,
  reference: ReadonlySet<Source>,
): string {
  const entries = [...pages].flatMap(([source, all]) => {
    const { url, title } = source
    const sections = reference.has(source) ? all.slice(0, 1) : all
    return sections.map(({ level, title: heading, anchor, text }) => [
      level === 1 ? url : `${url}#${anchor}`,
      title,
      level === 1 ? '' : heading,
      text,
    ])
  })
  return `window.sluiceSearch=${JSON.stringify(entries)}\n`
}
