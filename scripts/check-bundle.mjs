// Checks what a bundler keeps of core for a browser or a worker that limits in memory with one strategy, and what an application of Express installs.
import { bundleOfOneStrategy, installedKilobytes, kilobytesByEsbuild } from './bundle-size.mjs'

/** What they have today, and a little more. The goal is 40 for a strategy whose callers cannot wait. */
const mostKilobytes = { fixedWindow: 74, gcra: 81 }

for (const [strategy, most] of Object.entries(mostKilobytes)) {
  const { code, imports, problems, kilobytes } = await bundleOfOneStrategy(strategy)
  if (imports.length > 0) problems.push(`it imports ${imports.join(', ')}`)
  if (/redis\.call|EVALSHA/i.test(code)) problems.push('it has scripts for Redis')
  if (kilobytes > most) problems.push(`it has ${kilobytes} kB, at most ${most}`)
  const byEsbuild = kilobytesByEsbuild(strategy)
  if (byEsbuild > kilobytes + 1) problems.push(`esbuild makes ${byEsbuild} kB of it`)
  for (const problem of problems) console.error(`A bundle of ${strategy} in memory: ${problem}.`)
  if (problems.length > 0) process.exitCode = 1
}

/** What they have today, and a little more. The goal is 800. */
const mostInstalled = 940
const installed = installedKilobytes()
if (installed > mostInstalled) {
  console.error(`core, http and express are ${installed} kB to install, at most ${mostInstalled}.`)
  process.exitCode = 1
}
