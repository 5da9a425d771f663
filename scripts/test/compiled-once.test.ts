import path from 'node:path'
import { expect, it } from '@jest/globals'
import { ended, scripts } from './small-project.ts'

const file = JSON.stringify(path.join(scripts, 'jest/compiled-once.mjs'))

/** What an expression comes to where `compile(text, context, imported)` compiles as jest does, and `made` counts scripts. */
async function inProcess(expression: string): Promise<unknown> {
  const program = `
    import vm from 'node:vm'
    let made = 0
    vm.Script = class extends vm.Script {
      constructor(...args) { super(...args); made++ }
    }
    const { forgetImports } = await import(${file})
    const contexts = ['first', 'second'].map((name) => vm.createContext({ name }))
    const compile = (text, context, imported) =>
      vm.compileFunction(text, ['module'], {
        filename: 'a.js', importModuleDynamically: () => imported, parsingContext: contexts[context],
      })
    console.log(JSON.stringify(await (async () => (${expression}))()))`
  const flags = ['--no-warnings', '--expose-gc', '--experimental-vm-modules', '--input-type=module', '--eval']
  const { code, stdout, stderr } = await ended(process.execPath, [...flags, program], { cwd: scripts })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

it('a module is compiled once for two test files, and runs in the context of each', async () => {
  const both = `[0, 1].map((nth) => { const module = {}; compile('module.says = name', nth)(module); return module.says })`
  expect(await inProcess(`[...${both}, made]`)).toEqual(['first', 'second', 1])
})

it('a module that has changed is compiled again', async () => {
  const texts = `['return 1', 'return 2', 'return 2']`
  expect(await inProcess(`[...${texts}.map((text) => compile(text, 0)()), made]`)).toEqual([1, 2, 2, 2])
})

it('an error names the line and the column of the text', async () => {
  const place = `(text) => { try { compile(text, 0)() } catch ({ stack }) { return /a.js:[\\d:]+/.exec(stack)[0] } }`
  const texts = `['throw new Error()', '\\n  throw new Error()']`
  expect(await inProcess(`${texts}.map(${place})`)).toEqual(['a.js:1:7', 'a.js:2:9'])
})

it('what a module imports is answered by the test file that runs', async () => {
  const bothFiles = `
    const found = []
    for (const name of ['node:os', 'node:path'])
      found.push('sep' in await compile('return import("x")', 0, await import(name))())
    return found`
  expect(await inProcess(`(async () => { ${bothFiles} })()`)).toEqual([false, true])
})

it('nothing of a test file that has ended stays in memory', async () => {
  const collected = `
    const kept = (() => {
      const file = { of: 'a test file' }
      compile('return 1', 0, file)()
      return new WeakRef(file)
    })()
    forgetImports()
    await new Promise(setImmediate)
    gc()
    return kept.deref() === undefined`
  expect(await inProcess(`(async () => { ${collected} })()`)).toBe(true)
})
