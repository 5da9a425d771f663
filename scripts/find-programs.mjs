// Finds the programs of programs.mjs that it is given the names of, or installs them. It is a process of its own, beside that which
// installs packages.
import * as programs from './programs.mjs'

try {
  const wanted = new Set(process.argv.slice(2))
  for (const [name, find] of Object.entries(programs)) if (wanted.has(name)) find()
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
