// Compiles projects with the oldest TypeScript that the READMEs name: node scripts/oldest-types.mjs TSCONFIG…
// It reads each file once for all of them. It looks at our packages, at what they stand beside and at what uses them: types of frameworks,
// of Node and of the language itself take long, and are others' concern.
import path from 'node:path'
import ts from 'typescript-oldest'

const read = new Map()

function problemsOf(project) {
  const { options, fileNames } = ts.getParsedCommandLineOfConfigFile(
    project,
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: fail },
  )
  const host = ts.createCompilerHost(options)
  const { getSourceFile } = host
  host.getSourceFile = (name, target, ...more) => {
    // How a file is read depends on what kind of module it is.
    const known = `${name} ${JSON.stringify(target)}`
    if (!read.has(known)) read.set(known, getSourceFile(name, target, ...more))
    return read.get(known)
  }
  const program = ts.createProgram(fileNames, options, host)
  const ours = program
    .getSourceFiles()
    .filter(({ fileName }) => !/\/node_modules\/(?!.*rate-limit|@sluice\/)/.test(fileName))
  return [
    ...program.getOptionsDiagnostics(),
    ...ours.flatMap((file) => [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
    ]),
  ]
}

function fail({ messageText }) {
  throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'))
}

const problems = process.argv.slice(2).flatMap((project) => problemsOf(path.resolve(project)))
const host = {
  getCanonicalFileName: (name) => name,
  getCurrentDirectory: process.cwd,
  getNewLine: () => '\n',
}
process.stdout.write(ts.formatDiagnostics(problems, host))
process.exitCode = problems.length > 0 ? 1 : 0
