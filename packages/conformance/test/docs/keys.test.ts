import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import { blocksOf, pages, root } from './pages.ts'

/** Everything that shows how to write a key: the pages, the examples, the playground, and what editors show. */
function texts(): readonly (readonly [file: string, text: string])[] {
  const folders = ['examples', 'packages'].flatMap((above) =>
    readdirSync(path.join(root, above)).map((name) => `${above}/${name}/src`),
  )
  const sources = folders.flatMap((folder) => filesOf(folder).map((file) => [file, codeOf(file)] as const))
  return [...pages().map(({ file, text }) => [file, text] as const), ...sources]
}

function filesOf(folder: string): readonly string[] {
  try {
    const files = readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    return files
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.generated.ts'))
      .map((file) => `${folder}/${file}`)
  } catch {
    return [] // a package without sources of its own
  }
}

/** Of a package what its comments and texts say; of an example and the playground all. */
function codeOf(file: string): string {
  const text = readFileSync(path.join(root, file), 'utf8')
  if (/^examples|^packages\/site/.test(file)) return text
  return text
    .split('\n')
    .filter((line) => /^\s*(\/?\*|\/\/)|code: /.test(line))
    .join('\n')
}

/** `key: (req) => …` to the end of the expression; `keyGenerator` and `id` are what other libraries call it. */
function keysOf(text: string): readonly string[] {
  const starts = [...text.matchAll(/\b(?:key|keyGenerator|id): (?:async )?\([^()]*\) =>\s*/g)]
  return starts.map(({ index, 0: start }) => expressionAt(text, index + start.length))
}

const opening = '([{'
const closing = ')]}'

function expressionAt(text: string, from: number): string {
  let depth = 0
  let at = from
  for (; at < text.length; at++) {
    const letter = text[at] ?? ''
    if (opening.includes(letter)) depth++
    if (closing.includes(letter)) depth--
    if (depth < 0 || (depth === 0 && (letter === ',' || letter === '`' || text.startsWith('\n\n', at)))) break
  }
  return text.slice(from, at)
}

/** Helpers of the same text are put in: `nameOf(req)` reads what `const nameOf = (req) => …` does. */
function withHelpers(expression: string, text: string): string {
  return expression.replace(/(?<![.\w])(\w+)\(/g, (call, name) => {
    const [start] = [...text.matchAll(new RegExp(`const ${name} = \\([^()]*\\) =>\\s*`, 'g'))]
    return start === undefined ? call : `${expressionAt(text, start.index + start[0].length)} (`
  })
}

/** What is looked up by what the client has sent is what the server knows: `customers.get(…)`. */
function withoutLookUps(expression: string): string {
  const look = /(?<![.\w])(?!req\b|request\b|ctx\b|c\b|view\b|headers\b)\w+\.get\(/.exec(expression)
  if (look === null) return expression
  const from = look.index + look[0].length
  const end = from + expressionAt(expression.slice(from).replaceAll(',', ' '), 0).length + 1
  return withoutLookUps(`${expression.slice(0, look.index)}known${expression.slice(end)}`)
}

const said = /\.(body|query|headers?|params|cookies|userAgent|searchParams)\b|\.(get|header)\(|\bdigest\(/
/** A policy by the network alone beside the others: each new key that the client invents still counts there. */
const besideNetwork = /\b\w+: (?:view\.)?network\s*[,}]|[{,]\s*network\s*[,}]/

test('the key of every example is what the server has verified, or stands beside a count of the network', () => {
  const wrong = texts().flatMap(([file, text]) =>
    keysOf(text)
      .filter((key) => said.test(withoutLookUps(withHelpers(key, text))) && !besideNetwork.test(key))
      .map((key) => `${file}: ${key}`),
  )
  expect(wrong).toEqual([])
})

test.each([
  ["key: (req) => req.get('X-Api-Key')", true],
  ["key: (ctx) => ctx.get('X-Api-Key')", true],
  ["key: (request) => request.headers.get('x-api-key')", true],
  ['key: (req) => String(req.query.user)', true],
  ['const nameOf = (req) => String(req.body?.name)\nkey: (req) => nameOf(req)', true],
  [
    "const customerOf = (req) => customers.get(req.get('x-api-key') ?? '')\nkey: (req) => customerOf(req)?.id",
    false,
  ],
  ['key: (req) => req.user?.id', false],
  ['key: (req, { network }) => ({ address: network, account: String(req.body?.name) })', false],
  ['key: (req, view) => [digest(req.get("X-Api-Key") ?? ""), view.network]', true],
])('what the client says of itself is seen: %s', (text, isSaid) => {
  const [key = ''] = keysOf(text)
  expect(said.test(withoutLookUps(withHelpers(key, text))) && !besideNetwork.test(key)).toBe(isSaid)
})

/** What trusts a proxy, in the language of each framework. */
const trust = /trust proxy|trustProxy|app\.proxy|maxIpsCount|proxies:/

test.each(
  pages()
    .filter(({ file }) => /^(README\.md|packages\/\w+\/README\.md)$/.test(file))
    .map((each) => [each.file, each] as const),
)('no program of %s trusts a proxy that may not be there', (_file, each) => {
  expect(blocksOf(each).filter(({ code }) => trust.test(code))).toEqual([])
})
