import { isExplanation } from '../navigation.ts'
import type { Section } from '../sections.ts'
import type { Source } from '../sources.ts'
import type { SearchEntry } from './engine.ts'

type Pages = ReadonlyMap<Source, readonly Section[]>

/** What the search looks through, as a script: a page that is opened from a file may load no data otherwise. */
export function searchScript(pages: Pages, reference: ReadonlySet<Source>): string {
  return `window.sluiceSearch=${JSON.stringify(searchEntries(pages, reference))}\n`
}

/** Of the reference made from the types only the beginnings of its pages, or it would hide what people wrote. */
export function searchEntries(pages: Pages, reference: ReadonlySet<Source>): readonly SearchEntry[] {
  return [...pages].flatMap(([source, all]) =>
    reference.has(source)
      ? entriesOf(source, all.slice(0, 1), false)
      : entriesOf(source, all, isExplanation(source.file)),
  )
}

/** The chapter whose sections are tables of figures: their headings name everything, and they explain nothing. */
const figures = 'Measured'

function entriesOf(
  { url, title }: Source,
  sections: readonly Section[],
  explains: boolean,
): readonly SearchEntry[] {
  let chapter = ''
  return sections.map(({ level, title: heading, anchor, text }) => {
    const detail = level > 2
    if (!detail) chapter = heading
    const worth = detail && chapter === figures ? 0.1 : explains ? 1 : 0.4
    return [
      level === 1 ? url : `${url}#${anchor}`,
      title,
      level === 1 ? '' : heading,
      text,
      worth * (detail ? 0.9 : 1),
    ]
  })
}
