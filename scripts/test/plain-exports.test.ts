import path from 'node:path'
import { expect, it } from '@jest/globals'
import { ended, scripts } from './small-project.ts'

const getter = (name: string) =>
  `Object.defineProperty(exports,"${name}",{enumerable:!0,get:function(){return ${name}}})`

async function written(code: string, format: 'cjs' | 'es', isEntry = true): Promise<string> {
  const program = `
    import { plainExports } from ${JSON.stringify(path.join(scripts, 'compact.mjs'))}
    const files = { 'a.js': { type: 'chunk', code: process.argv[1], isEntry: ${isEntry} } }
    plainExports().generateBundle({ format: process.argv[2] }, files)
    process.stdout.write(files['a.js'].code)`
  const flags = ['--input-type=module', '--eval', program, '--', code, format]
  return (await ended(process.execPath, flags, { cwd: path.join(scripts, '..') })).stdout
}

it('a package exports in CommonJS what never changes as it is, and what may change by a function', async () => {
  const code =
    'const a=1,c=[3];let b=2,d=4,f=5,g=6;function e(){b=5,[d]=c,c[0]=1,f++}for(g of c)e();for(const h of c)e(h);'
  const before = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(getter).join()
  const after = `exports.a=a,${getter('b')},exports.c=c,${getter('d')},exports.e=e,${getter('f')},${getter('g')}`
  expect(await written(code + before, 'cjs')).toBe(code + after)
})

it('an ES module stays as it is', async () => {
  expect(await written(getter('a'), 'es')).toBe(getter('a'))
})

it('what only other files of a package require exports all that never changes at once', async () => {
  const code = 'const a=1,b=2;let c=3;c++;'
  const after = `Object.assign(exports,{a:a,b:b}),${getter('c')}`
  expect(await written(code + ['a', 'b', 'c'].map(getter).join(), 'cjs', false)).toBe(code + after)
})
