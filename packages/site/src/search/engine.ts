import MiniSearch, { type SearchOptions } from 'minisearch'
import { stem, stemsOf } from './stem.ts'
import { synonymsOf } from './synonyms.ts'

/**
 * A section as the data of the search has it: where it is, its page's title, its own heading, its words, and what a word is worth there:
 * at most 1.
 */
export type SearchEntry = readonly [url: string, title: string, heading: string, text: string, worth: number]

/** A section that was found. */
interface Found {
  readonly url: string
  readonly title: string
  readonly heading: string
  readonly text: string
  /** With how much of each word its text begins that was looked for. */
  readonly terms: readonly string[]
}

/** Sections for what a reader types, the best first. */
export type Search = (asked: string) => readonly Found[]

const boost = { heading: 4, title: 3 }
const asTyped: SearchOptions = { boost, combineWith: 'AND', prefix: true, fuzzy: 0.15 }
const synonym: SearchOptions = { boost, combineWith: 'AND' }
/** Behind what has the word itself. */
const worthOfSynonym = 0.6
/** A heading with the word as it was typed, and not in another form. */
const worthOfSpelling = 1.5

/** As many words in a row as a section hardly has by chance: they were pasted from an error or a log. */
const wordsOfPhrase = 4
/** For each phrase of what was pasted. */
const worthOfPhrase = 2

/** What one word of the reader's found in a section. */
interface Hit {
  readonly score: number
  readonly terms: readonly string[]
}

export function searchOf(entries: readonly SearchEntry[]): Search {
  const index = new MiniSearch({
    fields: ['heading', 'title', 'text'],
    processTerm: stemsOf,
    searchOptions: { processTerm: stem },
  })
  // A page's beginning is about what the page is about: its title is the heading too.
  const headings = entries.map(([, title, heading]) => (heading || title).toLowerCase())
  index.addAll(
    entries.map(([, title, heading, text], id) => ({ id, title, heading: heading || title, text })),
  )

  /** By the number of a section: the best of what the word and each of its synonyms finds there. A word with many counts once. */
  function hitsOf(word: string): ReadonlyMap<number, Hit> {
    const hits = new Map<number, Hit>()
    const add = (id: number, score: number, terms: readonly string[]) => {
      // The index has multiplied the score by the number of the terms.
      const hit = { score: score / terms.length, terms }
      if (hit.score > (hits.get(id)?.score ?? 0)) hits.set(id, hit)
    }
    const spelling = word.toLowerCase()
    for (const { id, score, queryTerms } of index.search(word, asTyped))
      add(id, headings[id]?.includes(spelling) ? worthOfSpelling * score : score, queryTerms)
    for (const other of synonymsOf(word))
      for (const { id, score, queryTerms } of index.search(other, synonym))
        add(id, worthOfSynonym * score, queryTerms)
    return hits
  }

  const texts = entries.map(([, , , text]) => text.toLowerCase())

  return (asked) => {
    const words = wordsOf(asked)
    const phrases = phrasesOf(asked)
    const hitsByWord = words.map(hitsOf)
    const found = entries.map(([url, title, heading, text, worth], id) => {
      const hits = hitsByWord.flatMap((each) => each.get(id) ?? [])
      const pasted = phrases.filter((phrase) => texts[id]?.includes(phrase)).length
      const score =
        worth * hits.length * hits.reduce((sum, hit) => sum + hit.score, 0) * (1 + worthOfPhrase * pasted)
      return {
        url,
        title,
        heading,
        text,
        terms: hits.flatMap(({ terms }) => terms),
        words: hits.length,
        score,
      }
    })
    const most = found.reduce((max, { words }) => Math.max(max, words), 0)
    // A section need not have every word of a question, but most of those that one section has.
    return found.filter(({ words }) => words > most / 2).sort((a, b) => b.score - a.score)
  }
}

function phrasesOf(asked: string): readonly string[] {
  const words = asked
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  return words.slice(wordsOfPhrase - 1).map((_, i) => words.slice(i, i + wordsOfPhrase).join(' '))
}

/** Words that nearly every section has, so they say nothing of what is looked for. */
const filler = new Set(
  (
    'a an the to of in on for from by per at my i do does how is are it be can should you with and or vs if what when where why ' +
    'happens get gets has have was me our all too much many they their this that'
  ).split(' '),
)

/** What is asked without filler, unless nothing else is. */
function wordsOf(asked: string): readonly string[] {
  const words = asked.split(/\s+/).filter((word) => word !== '')
  const telling = words.filter((word) => !filler.has(word.toLowerCase()))
  return telling.length > 0 ? telling : words
}
