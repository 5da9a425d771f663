// What a bundler keeps of core, as it was built, for a browser or a worker that limits in memory with one strategy.
import { readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { buildSync } from 'esbuild'
import { rolldown } from 'rolldown'
import { checks } from './bundle.mjs'
import { root } from './setup.mjs'

/** Of a strategy whose callers cannot wait, and of one that brings what delays them. */
const policies = {
  fixedWindow: "fixedWindow({ limit: 100, window: '1m' })",
  gcra: "gcra({ count: 100, period: '1m' })",
}

function programOf(strategy) {
  return `import { createLimiter, memoryStore, ${strategy} } from '@sluice/core'
export const limiter = createLimiter({ policy: ${policies[strategy]}, store: memoryStore() })`
}

/** Its minified text, what that still imports, and what the bundler complains of. */
export async function bundleOfOneStrategy(strategy = 'fixedWindow') {
  const problems = []
  const program = programOf(strategy)
  const bundle = await rolldown({
    cwd: path.join(root, 'packages/bench'),
    input: 'program',
    platform: 'browser',
    plugins: [
      {
        name: 'program',
        resolveId: (id) => (id === 'program' ? path.join(root, 'packages/bench/program.js') : null),
        load: (id) => (path.basename(id) === 'program.js' ? program : null),
      },
    ],
    onLog: (_level, { message }) => problems.push(message),
    checks,
  })
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  await bundle.close()
  const { code, imports } = loadedWith(output[0], output)
  return { code, imports, problems, kilobytes: Buffer.byteLength(code) / 1000 }
}

/** A chunk with those that it imports, and what else they import: what loads later, such as the code for a client of Redis, is none of it. */
function loadedWith(entry, output) {
  const chunks = [entry]
  const imports = []
  for (const { imports: names } of chunks) {
    for (const name of names) {
      const chunk = output.find(({ fileName }) => fileName === name)
      if (chunk === undefined) imports.push(name)
      else if (!chunks.includes(chunk)) chunks.push(chunk)
    }
  }
  for (const { dynamicImports } of chunks) imports.push(...dynamicImports)
  return { code: chunks.map(({ code }) => code).join(''), imports }
}

/** The same by esbuild, which keeps more of a file that might do something by itself. */
export function kilobytesByEsbuild(strategy) {
  const stdin = { contents: programOf(strategy), resolveDir: path.join(root, 'packages/bench') }
  const { outputFiles } = buildSync({ stdin, bundle: true, minify: true, format: 'esm', write: false })
  return outputFiles[0].contents.byteLength / 1000
}

/** What is installed of these packages, as they were built. */
export function installedKilobytes(names = ['core', 'http', 'express']) {
  const files = names.flatMap((name) => {
    const dist = path.join(root, 'packages', name, 'dist')
    return readdirSync(dist, { recursive: true }).map((file) => statSync(path.join(dist, file)))
  })
  return files.reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0) / 1000
}
