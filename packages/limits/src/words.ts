import { isAlias, isMap, isScalar, isSeq, type Node } from 'yaml'

const maxLength = 60
const plainName = /^[\p{L}\p{N}_*@$:%/+-]+$/u

/** A text of the file in quotes, shortened to fit on a line. */
export function quoted(text: string): string {
  return printable(JSON.stringify(text.length > maxLength ? `${text.slice(0, maxLength)}…` : text))
}

/** Escapes line ends and terminal control characters. */
export function printable(text: string): string {
  return text.replace(/[\p{C}\u2028\u2029]/gu, (character) => {
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
  })
}

/** `schema.user` and `children` → `schema.user.children`; an ambiguous name is written as `["…"]`. */
export function joinPath(path: string, name: string): string {
  if (name.length > maxLength || !plainName.test(name)) return `${path}[${quoted(name)}]`
  return path === '' ? name : `${path}.${name}`
}

/** Describes a node for the end of an error message: `"ten" (string)`. */
export function describeNode(node: Node | null): string {
  if (isMap(node)) return node.items.length === 0 ? 'an empty mapping' : 'a mapping'
  if (isSeq(node)) return `a list of ${node.items.length}`
  if (isAlias(node)) return `an alias without an anchor (${quoted(node.source)})`
  if (!isScalar(node) || node.value === null || node.value === undefined) return 'nothing'
  const { value } = node
  if (typeof value === 'function') return 'a function'
  return `${typeof value === 'string' ? quoted(value) : String(value).slice(0, maxLength)} (${typeof value})`
}
