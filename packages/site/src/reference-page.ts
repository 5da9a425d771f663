import type { Source } from './sources.ts'

const moduleName = /\b([a-z-]+)\/src(\/[\w-]+)*(?![\w/-])/g

/** A page of TypeDoc's: modules, which it names by their folders, get the names that one imports. */
export function referenceSource(name: string, text: string): Source {
  const [, title = name] = /^# (.+)$/m.exec(text) ?? []
  return {
    file: `reference/${name}`,
    url: `reference/${name.replace('/src/', '/').replace(/\.md$/, '.html')}`,
    title: importName(title).replaceAll('\\', ''),
    // Its heading, the way to it above that, and the list of modules.
    text: text.replace(/^# .+$/m, importName).replace(/\[[a-z-]+\/src[^\]]*\](?=\()/g, importName),
  }
}

function importName(text: string): string {
  return text.replace(
    moduleName,
    (folder) => `@sluice/${folder.replace(/\/src/, '').replace(/\/index$/, '')}`,
  )
}
