// Builds dist/ of every published package: ES modules and CommonJS, each with its types; a program once. With --bench that of the bench too.
import path from 'node:path'
import { usersFirst, wordsAskedOf } from './asked-types.mjs'
import { buildLua } from './build-lua.mjs'
import { buildPages } from './build-pages.mjs'
import { bundlePackage, compileProgram, writeTypes } from './bundle.mjs'
import { published } from './published.mjs'
import { root } from './setup.mjs'

buildLua()
buildPages()
const packages = published()
for (const one of packages) await bundlePackage(one)
for (const one of usersFirst(packages)) await writeTypes(one, wordsAskedOf(one.manifest.name, packages))
if (process.argv.includes('--bench')) await compileProgram(path.join(root, 'packages/bench'))
