// Builds dist/ of every published package: ES modules and CommonJS, each with its types; a program once. With --bench that of the bench too.
import path from 'node:path'
import { buildLua } from './build-lua.mjs'
import { buildPages } from './build-pages.mjs'
import { bundlePackage, compileProgram } from './bundle.mjs'
import { published } from './published.mjs'
import { root } from './setup.mjs'

buildLua()
buildPages()
for (const one of published()) await bundlePackage(one)
if (process.argv.includes('--bench')) await compileProgram(path.join(root, 'packages/bench'))
