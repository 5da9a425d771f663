import type MarkdownIt from 'markdown-it'
import { type PageEnv, plainText } from './markdown.ts'

/** What is below one heading of a page: what a search finds, and what "On this page" lists. */
export interface Section {
  readonly level: number
  readonly title: string
  /** Without its `#`; that of the page's own title too. */
  readonly anchor: string
  readonly text: string
}

export function sectionsOf(md: MarkdownIt, text: string, env: PageEnv): readonly Section[] {
  const sections: { level: number; title: string; anchor: string; parts: string[] }[] = []
  const tokens = md.parse(text, env)
  for (const [i, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      const anchor = token.attrGet('id') ?? ''
      sections.push({ level: Number(token.tag.slice(1)), title: plainText(tokens[i + 1]), anchor, parts: [] })
    } else if (token.type === 'fence') {
      sections.at(-1)?.parts.push(token.content)
    } else if (token.type === 'inline' && tokens[i - 1]?.type !== 'heading_open') {
      sections.at(-1)?.parts.push(plainText(token))
    }
  }
  return sections.map(({ parts, ...section }) => ({
    ...section,
    text: parts.join(' ').replace(/\s+/g, ' ').trim(),
  }))
}
