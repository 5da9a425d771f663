/** What a link to a heading says behind its `#`: as GitHub makes it, so that one link is right there and here. */
function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-')
}

/** Numbers those that are alike on one page. */
export function slugs(): (title: string) => string {
  const seen = new Map<string, number>()
  return (title) => {
    const slug = slugOf(title)
    const times = seen.get(slug) ?? 0
    seen.set(slug, times + 1)
    return times === 0 ? slug : `${slug}-${times}`
  }
}
