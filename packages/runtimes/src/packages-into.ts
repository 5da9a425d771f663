import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'

/** Depends on all that programs of pages import. */
const zoo = path.join(__dirname, '../../../examples/zoo')

const entries = {
  'core/index': '@sluice/core',
  'http/index': '@sluice/http',
  'fetch/hono': '@sluice/fetch/hono',
  'fetch/h3': '@sluice/fetch/h3',
  'fetch/next': '@sluice/fetch/next',
  'state/durable-object': '@sluice/state/durable-object',
}

/** Puts our packages into a folder `node_modules` as they are installed, from the sources: for tools that know no other condition. */
export async function packagesInto(modules: string): Promise<void> {
  await build({
    entryPoints: entries,
    absWorkingDir: zoo,
    outdir: path.join(modules, '@sluice'),
    bundle: true,
    splitting: true,
    platform: 'neutral',
    format: 'esm',
    target: 'es2022',
    conditions: ['sluice-source'],
    external: ['ioredis', 'redis', '@valkey/valkey-glide', 'hono'],
    logLevel: 'silent',
  })
  for (const name of new Set(Object.keys(entries).map((each) => path.dirname(each)))) {
    const exports = { '.': './index.js', './*': './*.js' }
    const manifest = JSON.stringify({ name: `@sluice/${name}`, type: 'module', exports })
    writeFileSync(path.join(modules, '@sluice', name, 'package.json'), manifest)
  }
}

/** A folder of the packages in `from`, for a program that stands elsewhere. */
export function linkInto(modules: string, name: string, from: string): void {
  mkdirSync(modules, { recursive: true })
  symlinkSync(from, path.join(modules, name))
}

/** Where the zoo has a package. */
export function ofZoo(name: string): string {
  return path.join(zoo, 'node_modules', name)
}
