import path from 'node:path'

// biome-ignore lint/style/noDefaultExport: Next.js reads it
export default {
  distDir: '.next',
  // Its packages are links that lead out of this folder.
  turbopack: { root: path.resolve(import.meta.dirname, '../../../..') },
  outputFileTracingRoot: path.resolve(import.meta.dirname, '../../../..'),
}
