import MiniSearch, { type Query, type SearchResult } from 'minisearch'
import { synonymsOf } from './synonyms.ts'

/** A section as the data of the search has it: where it is, its page's title, its own heading, and its words. */
export type SearchEntry = readonly [url: string, title: string, heading: string, text: string]

/** Sections for what a reader types, the best first. */
export type Search = (asked: string) => readonly SearchResult[]

const asTyped = { boost: { heading: 4, title: 3 }, prefix: true, fuzzy: 0.15 } as const
/** Behind what has the word itself. */
const bySynonym = { boost: { heading: 1, title: 0.75, text: 0.25 }, prefix: false, fuzzy: false } as const

export function searchOf(entries: readonly SearchEntry[]): Search {
  const found = new MiniSearch({
    fields: ['heading', 'title', 'text'],
    storeFields: ['url', 'title', 'heading', 'text'],
  })
  found.addAll(entries.map(([url, title, heading, text], id) => ({ id, url, title, heading, text })))
  return (asked) => {
    const words = wordsOf(asked)
    const all = found.search(queryOf(words, 'AND'))
    return all.length > 0 ? all : found.search(queryOf(words, 'OR'))
  }
}

/** Words that nearly every section has, so they say nothing of what is looked for. */
const filler = new Set('a an the to of in on for my i do how is are can with and or'.split(' '))

/** What is asked without filler, unless nothing else is. */
function wordsOf(asked: string): readonly string[] {
  const words = asked.split(/\s+/).filter((word) => word !== '')
  const telling = words.filter((word) => !filler.has(word.toLowerCase()))
  return telling.length > 0 ? telling : words
}

function queryOf(words: readonly string[], combineWith: 'AND' | 'OR'): Query {
  return { combineWith, queries: words.map(oneWord) }
}

function oneWord(word: string): Query {
  const own: Query = { ...asTyped, combineWith: 'AND', queries: [word] }
  const others: Query = { ...bySynonym, combineWith: 'OR', queries: [...synonymsOf(word)] }
  return { combineWith: 'OR', queries: [own, others] }
}
