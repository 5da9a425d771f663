// Builds dist/ of every published package: ES modules and CommonJS, each with its types; a program once.
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { buildLua } from './build-lua.mjs'
import { buildPages } from './build-pages.mjs'
import { run, tool } from './child.mjs'
import { published } from './published.mjs'

buildLua()
buildPages()
const folders = published().map(({ folder }) => path.join(folder, 'dist'))
// What is left of a source that is gone would be published too.
for (const dist of folders) rmSync(dist, { recursive: true, force: true })
const { code } = await run(tool('tsc'), ['-b', 'tsconfig.json', 'tsconfig.cjs.json'])
if (code === 0) {
  // The packages say "type": "module", so Node would read the CommonJS files as ES modules.
  const both = folders.map((dist) => path.join(dist, 'cjs')).filter((cjs) => existsSync(cjs))
  for (const cjs of both) writeFileSync(path.join(cjs, 'package.json'), '{ "type": "commonjs" }\n')
}
process.exitCode = code
