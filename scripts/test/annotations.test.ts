import path from 'node:path'
import { expect, it } from '@jest/globals'
import { ended, scripts } from './small-project.ts'

async function written(code: string): Promise<string> {
  const program = `
    import { statementsOnLines } from ${JSON.stringify(path.join(scripts, 'compact.mjs'))}
    const files = { 'a.js': { type: 'chunk', code: process.argv[1], fileName: 'a.js' } }
    statementsOnLines().generateBundle({}, files)
    process.stdout.write(files['a.js'].code)`
  const flags = ['--input-type=module', '--eval', program, '--', code]
  return (await ended(process.execPath, flags, { cwd: path.join(scripts, '..') })).stdout
}

it('annotations stay at calls that run when a file is loaded, and go everywhere else', async () => {
  const pure = '/* @__PURE__ */ '
  const short = '/*@__PURE__*/'
  const code = (map: string, later: string, end: string) => [
    `const a=${map}new Map,b=f({c:${map}g()})${end}`,
    `class C{\nstatic d=${map}h();\n#e=${later}new Map;\n#i=[${later}new Set]}`,
    `function f(e=${later}new Set){`,
    'return k}',
  ]
  const before = code(pure, pure, ';').join('').replace('return k', `return${pure}k()`)
  const after = code(short, '', '').join('\n').replace('return k', 'return k()')
  expect(await written(before)).toBe(after)
})

it('the end of a line stands for a semicolon, but where the next line would go on with it', async () => {
  const lines = [
    'let a=b',
    'c()',
    'd=e;',
    '(f)();',
    '[g].h();',
    '`i`',
    'j();',
    '/k/.test(l)',
    'for(;m(););',
    'n()',
    'if(o)p();else q()',
    'for(let r of s)if(r)t()',
    'while(u)v++',
    'for(;w;);',
    'if(x)y();',
    '(z)()',
    'class R{',
    's=1',
    '#t',
    'get u(){',
    'return 1}',
    'get;',
    'v(){}',
    'w;',
    'in(){}}',
    'async()',
    'function x(){}',
  ]
  const given = lines.map((line) =>
    /^(let|c\(|`|.k|n|s|#|async|if\(o|for\(l|while|.z)/.test(line) ? `${line};` : line,
  )
  expect(await written(given.join(''))).toBe(lines.join('\n'))
})
