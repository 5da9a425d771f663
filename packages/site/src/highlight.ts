import { createRequire } from 'node:module'

interface Highlighter {
  registerLanguage(name: string, language: unknown): void
  getLanguage(name: string): object | undefined
  highlight(code: string, options: { readonly language: string }): { readonly value: string }
}

// Not imported: its types would bring those of browsers into all packages.
const load: (name: string) => unknown = createRequire(import.meta.url)
const hljs = load('highlight.js/lib/core') as Highlighter // as its documentation has it

const aliases = { bash: ['sh'], http: [], json: [], lua: [], typescript: ['ts'], yaml: [] }
for (const [name, others] of Object.entries(aliases)) {
  const language = load(`highlight.js/lib/languages/${name}`)
  for (const each of [name, ...others]) hljs.registerLanguage(each, language)
}

/** HTML with classes, or an empty text for a language that is not known. */
export function highlight(code: string, language: string): string {
  return hljs.getLanguage(language) === undefined ? '' : hljs.highlight(code, { language }).value
}
