const heading = '## In time\n\n'

/** A strategy's page with its picture in place: behind the heading "In time". */
export function withPicture(
  text: string,
  about: { strategy: string; alt: string; explained: string },
): string {
  const { strategy, alt, explained } = about
  const block = `![${alt}](../images/strategies/${strategy}.svg)\n\n${explained}\n\n`
  const old = /!\[[^\]]*\]\(\.\.\/images\/strategies\/\w+\.svg\)\n\n(?:[^\n]+\n)+\n/
  if (!text.includes(heading)) throw new Error(`docs/strategies/${strategy}.md has no heading "In time".`)
  const without = text.replace(old, '')
  return without.replace(heading, () => `${heading}${block}`)
}
