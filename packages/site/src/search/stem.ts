const shortest = 3

/** What the forms of a word have in common, so that "limits" finds "limited". */
export function stem(word: string): string {
  const small = word.toLowerCase()
  const bare = small.replace(/ie[sd]$/, 'y').replace(/(ing|ed|es|(?<!s)s|e)$/, '')
  return bare.length < shortest ? small : bare.replace(/(\p{L})\1$/u, '$1')
}

/** Of a word of a page; of a name in camel case also its words, so that "sliding window" finds `slidingWindowLog`. */
export function stemsOf(word: string): string[] {
  const parts = word.split(/(?<=\p{Ll})(?=\p{Lu})/u)
  return (parts.length > 1 ? [word, ...parts] : parts).map(stem)
}
