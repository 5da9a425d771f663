import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, rename, rm, symlink } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'

/** Lets a source that is bundled still find the files beside it. */
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

/** Defines `require`, which packages that are no ES modules ask for. */
const withRequire =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);"

/** Bundles programs by name, with all that they import, as plain JavaScript into a folder: `NAME.mjs`. */
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
    // Some sources ask for packages that are not installed.
    external: ['@nestjs/*', 'rxjs', ...external],
    banner: { js: withRequire },
    plugins: [ownPlace],
    logLevel: 'silent',
  })
}

/**
 * A program as tests start it many times: a process begins in a fifth of the time that its TypeScript takes. The first test file of a
 * run that starts it bundles it for all.
 */
export function bundled(program: string): () => Promise<string> {
  let made: Promise<string> | undefined
  return () => {
    made ??= make(program)
    return made
  }
}

async function make(program: string): Promise<string> {
  const folder = path.join(bundlesFolder(), createHash('sha256').update(program).digest('hex'))
  if (!existsSync(folder)) {
    const making = `${folder}-${randomUUID()}`
    await bundleInto(making, { main: program })
    // Packages that are not in the bundle are found here.
    const installed = path.join(path.dirname(program), '../node_modules')
    if (existsSync(installed)) await symlink(installed, path.join(making, 'node_modules'))
    // Another worker may have been as quick.
    await rename(making, folder).catch(() => rm(making, { recursive: true }))
  }
  return path.join(folder, 'main.mjs')
}

function bundlesFolder(): string {
  const { SLUICE_TEST_BUNDLES_DIR: folder } = process.env
  if (folder === undefined) throw new Error('the set-up of jest.config.mjs has not run')
  return folder
}
