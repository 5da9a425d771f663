// Checks what a bundler keeps of core for a browser or a worker that limits in memory with one strategy.
import path from 'node:path'
import { rolldown } from 'rolldown'
import { root } from './setup.mjs'

/** What it has today, and a little more. The goal is 40. */
const mostKilobytes = 76
const program = `import { createLimiter, gcra } from '@sluice/core'
export const limiter = createLimiter({ policy: gcra({ count: 100, period: '1m' }) })`

const problems = []
const bundle = await rolldown({
  cwd: path.join(root, 'packages/bench'),
  input: 'program',
  platform: 'browser',
  plugins: [
    {
      name: 'program',
      resolveId: (id) => (id === 'program' ? path.join(root, 'packages/bench/program.js') : null),
      load: (id) => (path.basename(id) === 'program.js' ? program : null),
    },
  ],
  onLog: (_level, { message }) => problems.push(message),
})
const { output } = await bundle.generate({ format: 'esm', minify: true })
await bundle.close()
const [{ code, imports }] = output
const kilobytes = Buffer.byteLength(code) / 1000
if (imports.length > 0) problems.push(`it imports ${imports.join(', ')}`)
if (/redis\.call|EVALSHA/i.test(code)) problems.push('it has scripts for Redis')
if (kilobytes > mostKilobytes) problems.push(`it has ${kilobytes} kB, at most ${mostKilobytes}`)
for (const problem of problems) console.error(`A bundle of one strategy in memory: ${problem}.`)
process.exitCode = problems.length > 0 ? 1 : 0
