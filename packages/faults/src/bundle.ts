import { mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll } from '@jest/globals'
import { build, type Plugin } from 'esbuild'

/** A source that is bundled still finds the files beside it. */
const ownPlace: Plugin = {
  name: 'own place',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path: file }) => {
      const text = await readFile(file, 'utf8')
      const contents = text
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(file).href))
        .replaceAll('import.meta.dirname', JSON.stringify(path.dirname(file)))
      return { contents, loader: 'ts' }
    })
  },
}

/** Packages that are no ES modules ask for `require`. */
const withRequire =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);"

/** Programs by name, with all that they import, as plain JavaScript in a folder: `NAME.mjs`. */
export async function bundleInto(
  folder: string,
  programs: Readonly<Record<string, string>>,
  { external = [] }: { readonly external?: readonly string[] } = {},
): Promise<void> {
  await build({
    entryPoints: { ...programs },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['sluice-source'],
    // They ask for packages that nobody has installed.
    external: ['@nestjs/*', 'rxjs', ...external],
    banner: { js: withRequire },
    plugins: [ownPlace],
    logLevel: 'silent',
  })
}

/** A program as a test file starts it many times: a process begins in a fifth of the time that its TypeScript takes. */
export function bundled(program: string): () => Promise<string> {
  let made: Promise<string> | undefined
  let folder: string | undefined
  afterAll(() => {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  })
  const make = async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'program-'))
    await bundleInto(folder, { main: program })
    return path.join(folder, 'main.mjs')
  }
  return () => {
    made ??= make()
    return made
  }
}
