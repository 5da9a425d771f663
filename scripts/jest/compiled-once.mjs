// Jest compiles every module anew for each test file, which is a third of what a small file takes. Here a module is compiled once for
// all files of a process, and runs in the context of each.
import { setFlagsFromString } from 'node:v8'
import vm from 'node:vm'

// Else what no test has called for a while is compiled again.
setFlagsFromString('--no-flush-bytecode')
// Most of what tests call runs too seldom to be worth optimizing, which by default takes a sixth of the time. Later versions do not know it.
if (process.version.startsWith('v20.')) setFlagsFromString('--interrupt-budget=1000000')

/** By file: its text, and the function around it. */
const compiled = new Map()
/** By file: how the test file that runs now answers its `import()`. */
const imports = new Map()

vm.compileFunction = (text, parameters, { filename, importModuleDynamically, parsingContext }) => {
  imports.set(filename, importModuleDynamically)
  let kept = compiled.get(filename)
  if (kept?.text !== text) {
    kept = { text, script: scriptOf(text, parameters, filename) }
    compiled.set(filename, kept)
  }
  return kept.script.runInContext(parsingContext)
}

/** Called when a test file has ended: all that it had would stay in memory. */
export function forgetImports() {
  imports.clear()
}

function scriptOf(text, parameters, filename) {
  const before = `(function (${parameters.join(', ')}) {`
  return new vm.Script(`${before}${text}\n})`, {
    filename,
    // A stack names the columns of the text.
    columnOffset: -before.length,
    importModuleDynamically: (...asked) => imports.get(filename)(...asked),
  })
}
