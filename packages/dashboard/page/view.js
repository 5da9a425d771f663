// How the policies are looked at. An address may say so: `#filter=crowd&windows` is what `sluice crowd` prints.

export function viewOf(hash) {
  const asked = new URLSearchParams(hash.slice(1))
  return { order: 'configured', filter: asked.get('filter') ?? '', windows: asked.has('windows'), all: false }
}
