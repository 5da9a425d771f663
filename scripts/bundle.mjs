// Makes dist/ of one package: a few files for each form that its package.json publishes, and their types.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { rolldown } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'
import { onlyAsked, wordsIn } from './asked-types.mjs'
import { compactly, plainExports, statementsOnLines } from './compact.mjs'

/** What imports and what requires it gets, as `publishConfig` of its package.json says. Programs are ES modules. */
export async function bundlePackage({ folder, manifest }) {
  rmSync(path.join(folder, 'dist'), { recursive: true, force: true })
  const { exports = {}, publishConfig } = manifest
  const { bin = {} } = publishConfig
  const entries = Object.values(exports)
  const imported = entries.map((entry) => entry.import.default)
  await write(folder, [...imported, ...Object.values(bin)], { format: 'esm' })
  if (entries.length === 0) return
  const required = entries.map((entry) => entry.require.default)
  await write(folder, required, { format: 'cjs' })
  // The packages say "type": "module", so Node would read the CommonJS files as ES modules.
  writeFileSync(path.join(folder, 'dist/cjs/package.json'), '{ "type": "commonjs" }\n')
}

/**
 * The types are those of CommonJS, which an ES module can pass on, and not the other way round. A default export is something else for
 * each of the two, so a package that has one gets its types twice.
 * `asked`: words among which are the names of what other packages' types need of its internal entry.
 */
export async function writeTypes({ folder, manifest: { exports = {} } }, asked) {
  const imported = Object.values(exports).map((entry) => entry.import.default)
  if (imported.length === 0) return
  await write(folder, imported, { format: 'esm', dir: 'dist/cjs', types: asked })
  const types = imported.map((file) => ({ ...placeOf(file), cjs: `dist/cjs/${placeOf(file).name}` }))
  const shared = path.join(folder, 'dist/cjs/shared')
  const isOurs = ({ name }) => name.startsWith('internal/')
  const cjsOf = (some) => some.map(({ cjs }) => path.join(folder, `${cjs}.d.ts`))
  const others = existsSync(shared) ? readdirSync(shared).filter((file) => file.endsWith('.d.ts')) : []
  withoutComments({
    publics: cjsOf(types.filter((each) => !isOurs(each))),
    ours: cjsOf(types.filter(isOurs)),
    shared: others.map((file) => path.join(shared, file)),
  })
  const texts = types.map(({ cjs }) => readFileSync(path.join(folder, `${cjs}.d.ts`), 'utf8'))
  if (texts.some((text) => /\bas default\b|^export default /m.test(text)))
    return write(folder, imported, { format: 'esm', types: asked })
  for (const { dir, name, cjs } of types) {
    const file = `${dir}/${name}.d.ts`
    const from = path.relative(path.dirname(file), cjs)
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
    writeFileSync(path.join(folder, file), `export * from '${from}.js'\n`)
  }
}

const comment = String.raw`/\*\*(?:(?!\*/)[\s\S])*\*/`
const declaration = new RegExp(
  String.raw`^(?:${comment}\n)?(?:(?:declare|abstract) )*(?:interface|class|type|function|const) ([\w$]+)|^export \{`,
  'gm',
)
const comments = new RegExp(String.raw`^[ \t]*${comment}[ \t]*\n`, 'gm')

/** What only our packages use nobody reads in an editor: whole files, and what the public files do not lead to. It is not indented either. */
function withoutComments({ publics, ours, shared }) {
  const parts = new Map(shared.map((file) => [file, declarationsOf(readFileSync(file, 'utf8'))]))
  const used = wordsIn(publics.map((file) => readFileSync(file, 'utf8')).join('\n'))
  const all = [...parts.values()].flat()
  // A set that grows is walked to its end.
  for (const word of used)
    for (const { text } of all.filter(({ name }) => name === word))
      for (const other of wordsIn(text.replace(comments, ''))) used.add(other)
  for (const [file, declarations] of parts) {
    const texts = declarations.map(({ name, text }) => (used.has(name) ? text : bare(text)))
    writeFileSync(file, texts.join(''))
  }
  for (const file of ours) writeFileSync(file, bare(readFileSync(file, 'utf8')))
}

function bare(text) {
  return text.replace(comments, '').replace(/^ +/gm, '')
}

/** A file of types in its declarations, each with its comment; what it imports and exports has no name. */
function declarationsOf(text) {
  const begun = [{ index: 0 }, ...text.matchAll(declaration)]
  return begun.map(({ index, 1: name }, i) => ({ name, text: text.slice(index, begun[i + 1]?.index) }))
}

/** Writes these files of dist/, and beside them in `shared` what several of them have in common. */
async function write(folder, files, { format, dir, types }) {
  const places = files.map(placeOf)
  const bundle = await rolldown({
    cwd: folder,
    input: Object.fromEntries(places.map(({ name }) => [name, sourceOf(folder, name)])),
    // Whatever is not the package's own comes from its dependencies.
    external: (id) => !isOwn(id),
    platform: 'node',
    // What else would stand there is an import of a module of Node, which a bundle for the web could not resolve.
    // Not __filename, which a bundler leaves as it is where it makes an ES module of this: there it is not declared.
    transform: format === 'cjs' ? { define: { 'import.meta.filename': 'module.filename' } } : {},
    plugins: types
      ? [
          onlyAsked(types),
          dts({ oxc: true, tsconfig: false, emitDtsOnly: true }),
          surplusUnsaid,
          commentsAtNames,
        ]
      : [
          fromInternalEntry,
          sharedAsEntry,
          plainExports(),
          statementsOnLines(),
          ...(format === 'esm' ? [onceForBoth] : []),
        ],
    treeshake: { moduleSideEffects: false },
    onLog: fail,
    checks,
  })
  await bundle.write({
    dir: path.join(folder, dir ?? places[0].dir),
    format,
    entryFileNames: (chunk) => `${chunk.name}${extensionOf(files, chunk.name)}`,
    chunkFileNames: 'shared/[name].js',
    exports: 'auto',
    // The shared file of http becomes its internal entry, see sharedAsEntry: it keeps the names of its exports. Those of types are no
    // shorter by a second name.
    minifyInternalExports: types === undefined && path.basename(folder) !== 'http',
    strict: true,
    // In a test of jest nothing can be imported late, and Nest's users have such tests. Core's client may be missing in a bundle: what
    // imports it is forgiven, and what requires it is not.
    dynamicImportInCjs: path.basename(folder) === 'core',
    // The names of types' files follow from those that ask for them.
    ...(types ? {} : { codeSplitting: { groups }, minify: compactly }),
    // Users read the comments in the types.
    comments: { legal: true, annotation: format === 'esm', jsdoc: types !== undefined },
  })
  await bundle.close()
}

/** The scripts are large and only text, and are loaded late: an ES module loads those of CommonJS. */
const onceForBoth = {
  name: 'once for both',
  resolveId: {
    filter: { id: /\/lua\.generated\.ts$/ },
    handler: (_id, importer) =>
      /\/core\/src\/redis\/lua\.ts$/.test(importer)
        ? { id: '../../cjs/shared/lua.generated.js', external: 'absolute' }
        : undefined,
  },
}

/** `...more: []` catches surplus arguments of JavaScript; in the published types it would say nothing. */
const surplusUnsaid = {
  name: 'surplus unsaid',
  generateBundle(_options, files) {
    for (const file of Object.values(files)) file.code = file.code?.replace(/,\s*\.\.\.more: \[\]/g, '')
  },
}

/**
 * A comment behind a member of a type, on its line, would be lost to an editor, which takes it for that member's end; one of a declaration
 * that was left out stands before the next one's. What an editor does not show of comments goes: indents, and empty lines before tags.
 */
const commentsAtNames = {
  name: 'comments at names',
  generateBundle(_options, files) {
    for (const file of Object.values(files))
      file.code = file.code
        ?.replace(/; (\/\*\*.*\*\/)$/gm, ';\n$1')
        .replace(/^\/\*\*.*\*\/\n(?=\/\*\*)/gm, '')
        .replace(/^\/\/ src\/.*\n/gm, '')
        .replace(/^ +(?=\*)/gm, '')
        .replace(/^\*\n(?=\* @)/gm, '')
  },
}

/** Each file costs a starting process half a millisecond: what an entry shares with the internal entry is imported from that, not from a third file. */
const fromInternalEntry = {
  name: 'from internal entry',
  resolveId: {
    filter: { id: /^\.\/internal\/index\.ts$/ },
    handler: () => ({ id: './internal/index.js', external: 'absolute' }),
  },
}

/** For the same reason the shared file takes the place of an entry that would only re-export it. */
const sharedAsEntry = {
  name: 'shared as entry',
  generateBundle(_options, files) {
    for (const entry of Object.values(files).filter(({ isEntry }) => isEntry)) {
      const shared = files[entry.imports[0]]
      if (entry.imports.length > 1 || !entry.exports.every((name) => shared?.exports.includes(name))) continue
      entry.code = shared.code
      delete files[shared.fileName]
      for (const file of Object.values(files))
        file.code = file.code.replaceAll(`/${shared.fileName}"`, `/${entry.fileName}"`)
    }
  },
}

/**
 * A bundler drops a whole file of which a program uses nothing; of one that it uses it keeps whatever might do something by itself.
 * So what knows of Redis or guards a store, and what knows every strategy, have files of their own. A group takes along what it imports,
 * so the others come first. More files would cost each process that starts: one takes Node half a millisecond, and each package that it imports as much again.
 */
const forRedis = /\/core\/src\/(redis\/(?!clients\/|lua\.generated)|resilience\/|ahead\/|sha1\.ts)/
/** What is loaded where a connection is made: the scripts, and the code for such a client. */
const forConnection = /\/core\/src\/redis\/(clients\/|lua\.generated)/
const others =
  /\/core\/src\/(index|strategies|internal\/[\w-]+|strategies\/(declared|list|listed|picture|words\/[\w-]+))\.ts$/
const groups = [
  {
    name: 'limiter',
    test: (id) =>
      /\/core\/src\//.test(id) && ![forRedis, forConnection, others].some((each) => each.test(id)),
    priority: 1,
  },
  { name: 'redis', test: forRedis },
  { name: 'http', test: /\/http\/src\/(?!index\.ts)/ },
]

/** `./dist/esm/http/index.js` is `http/index` in `dist/esm`. */
function placeOf(file) {
  const [, dir, name] = /^\.\/(dist(?:\/esm|\/cjs)?)\/(.+)\.c?js$/.exec(file)
  return { dir, name }
}

function extensionOf(files, name) {
  return files.some((file) => file.endsWith(`${name}.cjs`)) ? '.cjs' : '.js'
}

function sourceOf(folder, name) {
  const [file] = ['ts', 'cts'].map((end) => path.join(folder, 'src', `${name}.${end}`)).filter(existsSync)
  return file
}

/** Compiles a program of this repository file by file, as it starts some of its files by their names. It meets the packages as they are published. */
export async function compileProgram(folder) {
  const src = path.join(folder, 'src')
  const sources = readdirSync(src, { recursive: true }).filter((file) => file.endsWith('.ts'))
  const bundle = await rolldown({
    cwd: folder,
    input: sources.map((file) => path.join(src, file)),
    external: (id) => !isOwn(id) && id !== '@sluice/conformance/every-strategy',
    platform: 'node',
    onLog: fail,
    checks,
  })
  const dir = path.join(folder, 'dist')
  await bundle.write({ dir, cleanDir: true, preserveModules: true, preserveModulesRoot: src })
  await bundle.close()
}

/** What the compiler adds to a file belongs to that file: no package depends on it. */
const helpers = '@oxc-project/runtime/'

function isOwn(id) {
  return id.startsWith('.') || path.isAbsolute(id) || id.startsWith(helpers)
}

/** On a busy machine a plugin takes long, and nothing is wrong. */
export const checks = { pluginTimings: false }

function fail(_level, { message }) {
  throw new Error(message)
}
