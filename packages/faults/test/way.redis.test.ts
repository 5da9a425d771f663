import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from '@jest/globals'
import { socket } from '../src/redis-socket.ts'

const root = path.resolve(__dirname, '../../..')
const section = /^## One request, file by file$([\s\S]*?)^## /m
const [, text = ''] = section.exec(readFileSync(path.join(root, 'docs/design.md'), 'utf8')) ?? []
const [walk = '', rest = ''] = text.split('What such a request does not pass through:')

/** Files that the page names, by their paths from the root. */
function filesIn(words: string): string[] {
  const names = [...words.matchAll(/`([\w/.-]+\.(?:ts|lua))`/g)].map(([, name = '']) => name)
  return names.map((name) => {
    if (name.startsWith('lua/')) return name
    return /^(express|fastify|koa|http)\//.test(name) ? `packages/${name}` : `packages/core/src/${name}`
  })
}

it('a request passes the files that the map names, and no others', () => {
  const program = path.join(__dirname, 'way-of-a-request.ts')
  const flags = ['--conditions=sluice-source', '--import', require.resolve('tsx'), program]
  const said = execFileSync(process.execPath, [...flags, socket])
  const passed: unknown = JSON.parse(said.toString())
  expect(passed).toBeInstanceOf(Array)
  expect((passed as string[]).sort()).toEqual(filesIn(walk).sort())
})

it('what else the map names is there', () => {
  const named = filesIn(rest)
  expect(named.length).toBeGreaterThan(15)
  expect(named.filter((file) => !existsSync(path.join(root, file)))).toEqual([])
})
