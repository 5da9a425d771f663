import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { changedBy, type SourceChange } from '@sluice/faults/single'
import { build, type Plugin } from 'esbuild'

/** One change to the source file whose path ends as its `file`, put in as it is bundled. */
function changed(change: SourceChange): Plugin {
  return {
    name: 'changed source',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, async ({ path: source }) => {
        if (!source.endsWith(`/${change.file}`)) return undefined
        return { contents: changedBy(change, await readFile(source, 'utf8')), loader: 'ts' }
      })
    },
  }
}

const here = (file: string) => ({ path: path.join(import.meta.dirname, file) })

/** The sources, with names in place of the texts of scripts, the simulation's own connections, and nothing of Node itself. */
const shortened: Plugin = {
  name: 'shortened',
  setup({ onResolve }) {
    onResolve({ filter: /\/(lua|lua-admitting\.generated)\.ts$/ }, () => here('short-scripts.ts'))
    onResolve({ filter: /lua\.generated\.ts$/ }, ({ importer }) => here(shortFor(importer)))
    onResolve({ filter: /\/redis\/client\.ts$/ }, () => here('own-client.ts'))
    onResolve({ filter: /^node:(crypto|os)$/ }, () => here('node-shims.ts'))
  },
}

function shortFor(importer: string): string {
  return importer.includes('/operations/src/') ? 'short-operations.ts' : 'short-queue.ts'
}

/** Every strategy that has a Lua half. */
async function strategyNames(): Promise<readonly string[]> {
  const files = await readdir(path.join(import.meta.dirname, '../../../../lua/strategies'))
  return files.map((file) => path.basename(file, '.lua'))
}

/** The shipped code as the body of one function, with a change or as it is. */
export async function bundleCode(change?: SourceChange): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path.join(import.meta.dirname, 'index.ts')],
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    target: 'node20',
    conditions: ['sluice-source', 'import'],
    external: ['ioredis'],
    define: { STRATEGY_NAMES: JSON.stringify(await strategyNames()) },
    plugins: change === undefined ? [shortened] : [shortened, changed(change)],
    logLevel: 'error',
    // The code asks for its own file, to look for a package beside it; a function has none.
    logOverride: { 'empty-import-meta': 'silent' },
  })
  const [file] = outputFiles
  if (file === undefined) throw new Error('nothing was bundled')
  return file.text
}
