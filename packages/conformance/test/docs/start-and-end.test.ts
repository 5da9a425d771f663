import { expect, test } from '@jest/globals'
import { blocksOf, pages } from './pages.ts'

const servers = pages()
  .flatMap(blocksOf)
  .filter(({ info }) => info.startsWith('ts'))
  .map((block) => ({ ...block, code: block.code.replace(/\/\/ .*$/gm, '') }))
  .filter(({ code }) => /redisStore\(/.test(code) && /\.listen\(/.test(code))

test('a server on a page that counts in Redis waits for it before it listens, and ends', () => {
  expect(servers.length).toBeGreaterThan(1)
  for (const { page, line, info, code } of servers) {
    const waits = code.indexOf('ready()')
    const listens = code.indexOf('.listen(')
    const ends = info === 'ts run' ? /server\.close\(\)/.test(code) : /SIGTERM/.test(code)
    expect({ page, line, waits: waits > 0 && waits < listens, ends }).toMatchObject({
      waits: true,
      ends: true,
    })
  }
})
