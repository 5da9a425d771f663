import path from 'node:path'
import { expect, it } from '@jest/globals'
import { ended, scripts } from './small-project.ts'

const getter = (name: string) =>
  `Object.defineProperty(exports,"${name}",{enumerable:!0,get:function(){return ${name}}})`

type Plugin = 'plainExports' | 'statementsOnLines'

async function written(code: string, plugin: Plugin, format: 'cjs' | 'es' = 'es'): Promise<string> {
  const program = `
    import { ${plugin} } from ${JSON.stringify(path.join(scripts, 'compact.mjs'))}
    const files = { 'a.js': { type: 'chunk', fileName: 'a.js', code: process.argv[1] } }
    ${plugin}().generateBundle({ format: process.argv[2] }, files)
    process.stdout.write(files['a.js'].code)`
  const flags = ['--input-type=module', '--eval', program, '--', code, format]
  return (await ended(process.execPath, flags, { cwd: path.join(scripts, '..') })).stdout
}

it('a package exports in CommonJS what never changes as it is, and what may change by a function', async () => {
  const code =
    'const a=1,c=[3];let b=2,d=4,f=5,g=6;function e(){b=5,[d]=c,c[0]=1,f++}for(g of c)e();for(const h of c)e(h);'
  const before = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(getter).join()
  const after = `exports.a=a,${getter('b')},exports.c=c,${getter('d')},exports.e=e,${getter('f')},${getter('g')}`
  expect(await written(code + before, 'plainExports', 'cjs')).toBe(code + after)
})

it('an ES module stays as it is', async () => {
  expect(await written(getter('a'), 'plainExports')).toBe(getter('a'))
})

it('each statement and member has a line, without a semicolon where the line ends it', async () => {
  const code = 'const a=1;class A{#b=a;static c(){}d=2;e(){return this.#b}}if(a)f();else g();h();export{A};'
  expect(await written(code, 'statementsOnLines')).toBe(
    'const a=1\nclass A{\n#b=a\nstatic c(){}\nd=2\ne(){\nreturn this.#b}}\nif(a)f();else g()\nh()\nexport{A};',
  )
})

// biome-ignore format: what stands behind the semicolon
it.each([
  ['[a]=b;'], ['(()=>{})();'], ['`a`.b();'], ['+a;'], ['-a;'], ['/a/.b();'],
])('a semicolon stays before %s, which would go on with the line before it', async (next) => {
  expect(await written(`a();${next}`, 'statementsOnLines')).toBe(`a();\n${next}`)
})

// biome-ignore format: members that would be read as one
it.each(['a=1;[b]=2', 'a=1;*b(){}', 'a=1;in=2', 'a=1;instanceof(){}'])('members stay apart: %s', async (members) => {
  expect(await written(`class A{${members}}`, 'statementsOnLines')).toBe(`class A{\n${members.replace(';', ';\n')}}`)
})

it.each(['while(a());', 'for(;;);', 'if(a);', 'if(a);else;', 'b:for(c of d);'])(
  'a semicolon stays that is the body of %s',
  async (loop) => {
    expect(await written(`${loop}e()`, 'statementsOnLines')).toBe(`${loop}\ne()`)
  },
)
