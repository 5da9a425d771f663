// The program of somebody who uses a published package, in each of the ways to load it.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { layOut } from './installed.mjs'

/** Where an adapter puts the decision: its type must be visible through the framework's types. */
const decisionOf = {
  '@sluice/express': { type: 'Request', from: 'express', decision: 'it.rateLimit' },
  '@sluice/fastify': { type: 'FastifyRequest', from: 'fastify', decision: 'it.rateLimit' },
  '@sluice/koa': { type: 'Context', from: 'koa', decision: 'it.state.rateLimit' },
}

const frameworks = ['express', 'fastify', 'koa', 'hono']

/** Writes it into a new folder of `place`, in which the package is installed from its tarball. */
export function writeUser(place, { folder: source, manifest }, tarballs) {
  const folder = placeOf(place, manifest)
  layOut(folder, tarballs, namesFor(manifest), source)
  const write = (name, content) => {
    const text = typeof content === 'string' ? content : JSON.stringify(content)
    writeFileSync(path.join(folder, name), `${text}\n`)
  }
  write('package.json', { private: true })
  // A program is run, not imported.
  if (!manifest.exports) return

  const entries = Object.keys(manifest.exports).map((entry) => manifest.name + entry.slice(1))
  write('load.cjs', loadProgram(entries))
  const jestTest = '(entry) => expect(Object.keys(require(entry))).not.toHaveLength(0)'
  write('load.test.js', `test.each(${JSON.stringify(entries)})('%s', ${jestTest})`)

  const imports = entries.map(
    (entry, i) =>
      `import * as entry${i} from '${entry}'\nexport const typed${i}: Typed<typeof entry${i}> = true`,
  )
  // A module without types is `any`, which has every key.
  const lines = ['type Typed<M> = 0 extends 1 & M ? never : keyof M extends never ? never : true', ...imports]
  const there = decisionOf[manifest.name]
  if (there) {
    lines.push(
      `import type { ${there.type} } from '${there.from}'`,
      `export const remaining = (it: ${there.type}): number | undefined => ${there.decision}?.remaining`,
    )
  }
  write('use.ts', lines.join('\n'))
  write('use.cts', lines.join('\n'))
  // A program may meet both forms of core: its own, and the one that an adapter loads.
  lines.push(
    "import type { Decision } from '@sluice/core'",
    "import type { Decision as Other } from '@sluice/core' with { 'resolution-mode': 'require' }",
    'export const same = (decision: Other): Decision => decision',
  )
  write('use.mts', lines.join('\n'))
}

/** Types of frameworks do not all agree, so a program with one is compiled alone; all others together read those of Node and of the language once. */
export function compiledTogether(manifests) {
  const isPlain = (manifest) => frameworksOf(manifest).length === 0
  const alone = manifests.filter((manifest) => !isPlain(manifest))
  return [manifests.filter(isPlain), ...alone.map((manifest) => [manifest])]
}

/** Writes the project that compiles the programs of these packages in the folders of `place`, and answers it. */
export function writeProject(place, manifests, kind) {
  const { names, ...more } = kinds[kind]
  const files = manifests.flatMap((manifest) =>
    names.map((name) => path.join(placeOf(place, manifest), name)),
  )
  const project = path.join(placeOf(place, manifests[0]), `tsconfig.${kind}.json`)
  writeFileSync(project, JSON.stringify({ files, compilerOptions: { ...options, ...more } }))
  return project
}

/** A folder for each. */
export function placeOf(place, { name }) {
  return path.join(place, name.split('/')[1])
}

// The libraries of TypeScript are not ours to check, and take half of the time.
const options = { strict: true, skipDefaultLibCheck: true, noEmit: true, target: 'es2022', types: ['node'] }
const bundler = { names: ['use.ts'], module: 'esnext', moduleResolution: 'bundler' }
const kinds = { node16: { names: ['use.mts', 'use.cts'], module: 'node16' }, bundler, oldest: bundler }

function frameworksOf({ peerDependencies = {} }) {
  return frameworks.filter((name) => name in peerDependencies)
}

function loadProgram(entries) {
  return `;(async () => {
  for (const entry of ${JSON.stringify(entries)}) {
    const both = [await import(entry), require(entry)]
    const [imported, required] = both.map((module) => Object.keys(module).sort().join())
    if (imported === '') throw new Error(entry + ' exports nothing')
    if (imported !== required) throw new Error(entry + ' exports ' + imported + ' or ' + required)
  }
})()`
}

/**
 * The package, its framework and the types: one framework a folder, since their types do not all agree. What is optional is not there: nothing
 * may need it to be loaded. A package with an entry for each of several frameworks has the types of all, and of these fastify's and hono's
 * come with the framework.
 */
function namesFor({ name, peerDependencies = {}, peerDependenciesMeta: about = {}, devDependencies = {} }) {
  const needs = Object.keys(peerDependencies).filter((peer) => about[peer]?.optional !== true)
  const wanted = [
    ...needs.flatMap((peer) => [peer, `@types/${peer}`]),
    ...frameworksOf({ peerDependencies }).map((peer) =>
      ['fastify', 'hono'].includes(peer) ? peer : `@types/${peer}`,
    ),
  ]
  return [name, '@sluice/core', '@types/node', ...wanted.filter((each) => devDependencies[each])]
}
