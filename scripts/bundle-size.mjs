// What a bundler keeps of core, as it was built, for a browser or a worker that limits in memory with one strategy.
import path from 'node:path'
import { rolldown } from 'rolldown'
import { checks } from './bundle.mjs'
import { root } from './setup.mjs'

/** Of a strategy whose callers cannot wait, and of one that brings what delays them. */
const policies = {
  fixedWindow: "fixedWindow({ limit: 100, window: '1m' })",
  gcra: "gcra({ count: 100, period: '1m' })",
}

/** Its minified text, what that still imports, and what the bundler complains of. */
export async function bundleOfOneStrategy(strategy = 'fixedWindow') {
  const problems = []
  const program = `import { createLimiter, memoryStore, ${strategy} } from '@sluice/core'
export const limiter = createLimiter({ policy: ${policies[strategy]}, store: memoryStore() })`
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
    checks,
  })
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  await bundle.close()
  const [{ code, imports }] = output
  return { code, imports, problems, kilobytes: Buffer.byteLength(code) / 1000 }
}
