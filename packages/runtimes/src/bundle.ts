import { build } from 'esbuild'

/** A worker's module with all that it imports, from the TypeScript sources, as a bundle for the web: an import of a module of Node fails. */
export async function bundleForWorkers(file: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [file],
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    conditions: ['sluice-source', 'workerd', 'worker'],
    logLevel: 'silent',
  })
  return outputFiles[0]?.text ?? ''
}
