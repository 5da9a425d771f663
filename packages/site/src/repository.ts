/** Where people read the sources, from a package.json: `https://example.com/owner/name`, or null if it does not say. */
export function repositoryOf(manifest: {
  readonly repository?: string | { readonly url?: string }
}): string | null {
  const { repository } = manifest
  const url = typeof repository === 'string' ? repository : repository?.url
  if (url === undefined) return null
  const short = /^(?:github:)?([\w.-]+\/[\w.-]+)$/.exec(url)
  if (short !== null) return `https://github.com/${short[1]}`
  const [, address] = /^(?:git\+)?(https:\/\/.+?)(?:\.git)?\/?$/.exec(url) ?? []
  return address ?? null
}
