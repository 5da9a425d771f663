// Programs whose files each say for all files what a request carries: our adapters, the interfaces of other libraries and these libraries.
import { cpSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { layOut } from './installed.mjs'
import { published } from './published.mjs'

const { folder: source, manifest } = published().find(({ manifest: { name } }) => name === '@sluice/compat')
const programs = path.join(source, 'test/types/programs')

/** Writes them into a new folder, in which all that they use is installed. Answers the projects to compile. */
export function writeCombinations(folder, tarballs) {
  const tested = Object.keys(manifest.devDependencies).filter((name) => !name.startsWith('@sluice/'))
  const adapters = ['express', 'fastify', 'koa'].map((name) => `@sluice/${name}`)
  layOut(folder, tarballs, [manifest.name, ...adapters, '@types/node', ...tested], source)
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    skipDefaultLibCheck: true,
    noEmit: true,
    module: 'nodenext',
    target: 'es2022',
    lib: ['es2023'],
    types: ['node'],
  }
  return readdirSync(programs).map((program) => {
    const project = path.join(folder, program, 'tsconfig.json')
    cpSync(path.join(programs, program), path.dirname(project), { recursive: true })
    writeFileSync(project, JSON.stringify({ compilerOptions }))
    return project
  })
}
