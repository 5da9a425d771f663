interface Range {
  /** Lower case, without parameters. */
  readonly type: string
  readonly quality: number
}

/** Characters looked at. Browsers send fewer than 200; a client that sends more gets JSON. */
const longest = 1024

const token = "[\\w!#$%&'*+.^`|~-]+"
// Sticky patterns, each with one way to match, so that reading is linear whatever a client sends.
const separators = /[ \t,]*/y
const rangePattern = new RegExp(`(?:\\*/\\*|(?!\\*/)${token}/${token})`, 'y')
const parameterPattern = new RegExp(`[ \\t]*;[ \\t]*(?:(${token})=(${token}|"(?:[^"\\\\]|\\\\.)*"))?`, 'y')
const endPattern = /[ \t]*(?:,|$)/y
const textRange = /text\//i
const qualityPattern = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

/**
 * Whether an Accept field prefers plain text or HTML to JSON, by the quality rules of RFC 9110, 12.5.1. False
 * for a tie, for no field and for a malformed one: a refusal is JSON unless a person seems to read it.
 * Parameters other than `q` are not compared; of two ranges with one type the better counts.
 *
 * @example
 * prefersText('text/html, application/json;q=0.9') // true
 * prefersText('application/json, text/plain') // false
 */
export function prefersText(accept: string | undefined): boolean {
  if (accept === undefined || accept.length > longest) return false
  // Without qualities, only a range for text can make text the better one.
  if (!accept.includes(';') && !textRange.test(accept)) return false
  const ranges = parseAccept(accept)
  if (ranges === undefined) return false
  const text = Math.max(qualityOf('text/plain', ranges), qualityOf('text/html', ranges))
  return text > Math.max(qualityOf('application/json', ranges), qualityOf('application/problem+json', ranges))
}

/** The quality of the most specific range that holds a type; 0 where none does. */
function qualityOf(type: string, ranges: readonly Range[]): number {
  const family = `${type.slice(0, type.indexOf('/'))}/*`
  let specificity = 0
  let quality = 0
  for (const range of ranges) {
    const fit = range.type === type ? 3 : range.type === family ? 2 : range.type === '*/*' ? 1 : 0
    if (fit > specificity || (fit > 0 && fit === specificity && range.quality > quality)) {
      specificity = fit
      quality = range.quality
    }
  }
  return quality
}

/** The ranges of an Accept field; undefined where it breaks the grammar. */
function parseAccept(accept: string): readonly Range[] | undefined {
  const ranges: Range[] = []
  let at = 0
  for (;;) {
    at += matchAt(separators, accept, at)?.[0].length ?? 0
    if (at === accept.length) return ranges
    const range = matchAt(rangePattern, accept, at)
    if (range === null) return undefined
    at += range[0].length
    let quality = 1
    let parameter = matchAt(parameterPattern, accept, at)
    while (parameter !== null) {
      const [matched, name, value = ''] = parameter
      if (name?.toLowerCase() === 'q') {
        if (!qualityPattern.test(value)) return undefined
        quality = Number(value)
      }
      at += matched.length
      parameter = matchAt(parameterPattern, accept, at)
    }
    const end = matchAt(endPattern, accept, at)
    if (end === null) return undefined
    at += end[0].length
    ranges.push({ type: range[0].toLowerCase(), quality })
  }
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}
