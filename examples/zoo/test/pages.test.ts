import { readdirSync, readFileSync } from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { killPrograms } from './program.ts'
import { frameworks, type RunningZoo, startZoo } from './zoo.ts'

const folder = path.resolve(__dirname, '../public')
const types = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Asks for the path as it stands: fetch would tidy it up. */
function statusOf(zoo: RunningZoo, rawPath: string): Promise<number | undefined> {
  const { hostname, port } = new URL(zoo.url)
  return new Promise((resolve, reject) => {
    const request = http.get({ hostname, port, path: rawPath }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
    request.once('error', reject)
  })
}

describe.each(frameworks)('the page on %s', (framework) => {
  let zoo: RunningZoo
  beforeAll(async () => {
    zoo = await startZoo('--framework', framework)
  })
  afterAll(killPrograms)

  test.each(readdirSync(folder))('has %s', async (file) => {
    const address = file === 'index.html' ? '/' : `/${file}`
    const answer = await fetch(zoo.url + address)
    expect(answer.status).toBe(200)
    expect(Object.entries(types)).toContainEqual([path.extname(file), answer.headers.get('content-type')])
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(answer.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    )
    expect(await answer.text()).toBe(readFileSync(path.join(folder, file), 'utf8'))
    const head = await fetch(zoo.url + address, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  test.each([
    '/../src/main.ts',
    '/..%2fsrc%2fmain.ts',
    '/%2e%2e/src/main.ts',
    '/..\\src\\main.ts',
    '/./zoo.js',
    '//zoo.js',
    '/zoo.js/',
    '/zoo.js%00',
    '/%',
    '/__proto__',
    '/public/zoo.js',
    '/package.json',
  ])('knows nothing by the name %s', async (rawPath) => {
    expect(await statusOf(zoo, rawPath)).toBe(404)
  })
})
