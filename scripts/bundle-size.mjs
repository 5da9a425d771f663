// What a bundler keeps of core, as it was built, for a browser or a worker that limits in memory with one strategy.
import path from 'node:path'
import { rolldown } from 'rolldown'
import { root } from './setup.mjs'

const program = `import { createLimiter, gcra } from '@sluice/core'
export const limiter = createLimiter({ policy: gcra({ count: 100, period: '1m' }) })`

/** Its minified text, what that still imports, and what the bundler complains of. */
export async function bundleOfOneStrategy() {
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
  return { code, imports, problems, kilobytes: Buffer.byteLength(code) / 1000 }
}
