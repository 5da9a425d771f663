import { oneLine } from '../../one-line.ts'

/** Text that is already HTML; only `html` and `trusted` create it. */
export interface Markup {
  readonly markup: string
}

export type Content = string | number | Markup | null | readonly Content[]

/**
 * HTML with escaped values: text from a log stays text on the page. Use values between tags or in quoted attributes.
 *
 * @example html`<td title="${agent}">${client}</td>`
 */
export function html(parts: TemplateStringsArray, ...values: readonly Content[]): Markup {
  return { markup: String.raw({ raw: parts }, ...values.map(markupOf)) }
}

/** HTML from our own files. */
export function trusted(markup: string): Markup {
  return { markup }
}

function markupOf(content: Content): string {
  if (content === null) return ''
  if (typeof content === 'number') return String(content)
  if (typeof content === 'string') return oneLine(content).replace(/[&<>"']/g, entity)
  return 'markup' in content ? content.markup : content.map(markupOf).join('')
}

function entity(character: string): string {
  return `&#${character.charCodeAt(0)};`
}
