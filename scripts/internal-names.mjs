// The names by which our packages use one of them beyond its public entry: of `measure`, and of a test that lets them only get fewer.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

const root = path.join(import.meta.dirname, '..')

function namesIn(text) {
  const lists = [...text.matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, list]) => list.split(','))
  return lists.map((name) => name.trim().replace(/^type /, '')).filter((name) => name !== '')
}

/** `plain` names, and by each matter, which is one name too, those that are reached by it. */
export function internalNames(pkg) {
  const folder = path.join(root, 'packages', pkg, 'src/internal')
  const text = readFileSync(path.join(folder, 'index.ts'), 'utf8')
  const matters = [...text.matchAll(/export \* as (\w+) from '(.+)'/g)].map(([, name, file]) => [
    name,
    namesIn(readFileSync(path.join(folder, file), 'utf8')),
  ])
  return { plain: namesIn(text), matters: Object.fromEntries(matters) }
}

/** How many names somebody has to know, and how many there are behind them. */
export function countOfNames(pkg) {
  const { plain, matters } = internalNames(pkg)
  const behind = Object.values(matters).flat()
  return { names: plain.length + Object.keys(matters).length, all: plain.length + behind.length }
}

/** Names that no other package uses. */
export function unusedNames(pkg) {
  const { plain, matters } = internalNames(pkg)
  const used = usedNames(pkg)
  const reached = Object.entries(matters).flatMap(([matter, names]) =>
    names.map((name) => `${matter}.${name}`),
  )
  return [...plain, ...reached].filter((name) => !used.has(name))
}

function usedNames(pkg) {
  const imported = new RegExp(`(?:import|export) (?:type )?\\{([^}]*)\\} from '@sluice/${pkg}/internal'`, 'g')
  const used = new Set()
  for (const text of textsOfOthers(pkg)) {
    for (const [, list] of text.matchAll(imported)) {
      for (const each of list.split(',')) used.add(each.trim().replace(/^type | as .*$/g, ''))
    }
    // Overlapping, as in `code.decisions.verdictsBehind`.
    for (const [, name] of text.matchAll(/(?=\b(\w+\.\w+)\b)\w+/g)) used.add(name)
  }
  return used
}

function textsOfOthers(pkg) {
  const packages = readdirSync(path.join(root, 'packages')).filter((each) => each !== pkg)
  return packages.flatMap((each) => {
    const folder = path.join(root, 'packages', each, 'src')
    const files = readdirSync(folder, { recursive: true }).filter((file) => /\.c?ts$/.test(file))
    return files.map((file) => readFileSync(path.join(folder, file), 'utf8'))
  })
}
