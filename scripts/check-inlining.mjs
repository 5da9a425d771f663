// Checks that a check in memory stays one function that V8 compiles for itself, in both forms of core: see MemoryCounter.
import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { root } from './setup.mjs'

/** V8's `max_inlined_bytecode_size`: a function up to that long may be inlined into its caller, in part where there is no room for more. */
const mostInlined = 460

const program = `
const limiter = createLimiter({ policy: gcra({ count: 100, period: '1m' }) })
limiter.check('bob').then(() => limiter.check('bob'))`

const forms = {
  commonjs: `const { createLimiter, gcra } = require('@sluice/core')`,
  module: `import { createLimiter, gcra } from '@sluice/core'`,
}

for (const [form, load] of Object.entries(forms)) {
  const flags = ['--print-bytecode', '--print-bytecode-filter=take', `--input-type=${form}`]
  const printed = execFileSync(process.execPath, [...flags, '--eval', load + program], {
    cwd: path.join(root, 'packages/bench'),
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  })
  const lengths = [...printed.matchAll(/^Bytecode length: (\d+)$/gm)].map(([, length]) => Number(length))
  const longest = Math.max(0, ...lengths)
  if (longest > mostInlined) continue
  console.error(
    `MemoryCounter.take has ${longest} bytes of bytecode (${form}), and V8 inlines up to ${mostInlined}: a check in memory may cost a third more.`,
  )
  process.exitCode = 1
}
