// What only our packages use of each other (`…/internal`) has types for the sake of those packages' own types alone: their code is compiled
// from sources. So of such an entry only those names have types that the types of another package name.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** The packages in such an order that each comes behind those that use it. */
export function usersFirst(packages) {
  const left = [...packages]
  const ordered = []
  while (left.length > 0) {
    const at = left.findIndex(({ manifest }) => !left.some((other) => uses(other, manifest.name)))
    ordered.push(...left.splice(at, 1))
  }
  return ordered
}

function uses({ manifest }, name) {
  return name in { ...manifest.dependencies, ...manifest.peerDependencies }
}

/** The words of all types that name something of this package's internal entry: names are among them. */
export function wordsAskedOf(name, packages) {
  const texts = packages.filter((other) => uses(other, name)).flatMap(({ folder }) => typesIn(folder))
  return wordsIn(texts.filter((text) => text.includes(`"${name}/internal"`)).join('\n'))
}

function typesIn(folder) {
  const dist = path.join(folder, 'dist')
  if (!existsSync(dist)) return []
  const files = readdirSync(dist, { recursive: true }).filter((file) => file.endsWith('.d.ts'))
  return files.map((file) => readFileSync(path.join(dist, file), 'utf8'))
}

export function wordsIn(text) {
  return new Set(text.match(/[\w$]+/g))
}

/** A plugin that leaves out of the files of `src/internal` what is none of these words. Where nothing is asked for, all stays: an entry has types. */
export function onlyAsked(words) {
  return {
    name: 'only asked',
    load: {
      filter: { id: /\/src\/internal\/[\w-]+\.ts$/ },
      handler: (id) => (words.size === 0 ? null : withoutOthers(readFileSync(id, 'utf8'), words)),
    },
  }
}

function withoutOthers(text, words) {
  return text
    .replace(/^export \* as (\w+) from .+\n/gm, (line, name) => (words.has(name) ? line : ''))
    .replace(/^export (type )?\{([^}]+)\} from (.+)\n/gm, (_all, type = '', list, from) => {
      const asked = list.split(',').filter((each) => words.has(/(\w+)\s*$/.exec(each)?.[1]))
      return asked.length === 0 ? '' : `export ${type}{${asked.join(',')}} from ${from}\n`
    })
}
