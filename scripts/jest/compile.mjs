import swc from '@swc/jest'
import { root } from '../setup.mjs'

/**
 * Compiles TypeScript for jest, each file once: for all projects, and for the runs of jest that tests start. What is kept of a file
 * goes by its path, its text and these options. Jest and swc would add all that a project is configured by, such as its name.
 */
export default {
  createTransformer({ decorators = false }) {
    const transform = decorators ? { legacyDecorator: true, decoratorMetadata: true } : {}
    const jsc = { target: 'es2022', parser: { syntax: 'typescript', decorators }, transform }
    const { getCacheKey, ...transformer } = swc.createTransformer({ jsc, module: { type: 'commonjs' } })
    const asOne = { configString: '', config: { rootDir: root } }
    return {
      ...transformer,
      getCacheKey: (text, file, asked) => getCacheKey(text, file, { ...asked, ...asOne }),
    }
  },
}
