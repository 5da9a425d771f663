// Runs command lines one after the other in this process: node together.mjs PROGRAM LINES, which prints what each has said, as JSON.
// Most of the time of a short command goes into a process of its own.
import { pathToFileURL } from 'node:url'

const [program, lines] = process.argv.slice(2)
const { write } = process.stdout
const ended = []
for (const [i, words] of JSON.parse(lines).entries()) {
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr']) {
    process[name].write = (chunk) => {
      said[name] += chunk
      return true
    }
  }
  process.argv = [process.execPath, program, ...words]
  process.exitCode = 0
  // What it shares with the others is loaded once, as it has no state.
  await import(`${pathToFileURL(program).href}?${i}`)
  ended.push({ code: process.exitCode, ...said })
}
process.exitCode = 0
write.call(process.stdout, JSON.stringify(ended))
