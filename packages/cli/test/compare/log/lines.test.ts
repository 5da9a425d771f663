import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { linesOf } from '../../../src/compare/log/lines.ts'

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size)
}

async function lines(text: string | Buffer, size = 7): Promise<readonly string[]> {
  const read: string[] = []
  for await (const some of linesOf(inChunks(Buffer.from(text), size))) read.push(...some)
  return read
}

describe('the lines of a text', () => {
  // biome-ignore format: a table
  it.each([
    ['',                    []],
    ['\n',                  ['']],
    ['a',                   ['a']],
    ['a\nb\n',              ['a', 'b']],
    ['a\r\n\r\nb\r',        ['a', '', 'b']],
    ['\uFEFFa\nb',          ['a', 'b']],
    ['a\n\uFEFFb',          ['a', '\uFEFFb']],
    ['äöü€\n😀',            ['äöü€', '😀']],
  ])('of %j', async (text, expected) => {
    for (const size of [1, 2, 3, 1000]) expect(await lines(text, size)).toEqual(expected)
  })

  it('are the same however they come in', async () => {
    const texts = fc.array(fc.constantFrom('a', 'é', '\n', '\r\n', '😀', 'b c'), { maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 1, max: 20 }), async (parts, size) => {
        const text = parts.join('')
        const expected = text.replaceAll('\r\n', '\n').split('\n')
        if (expected.at(-1) === '') expected.pop()
        expect(await lines(text, size)).toEqual(expected)
      }),
    )
  })

  it('keeps the beginning of one that has no end', async () => {
    const [long, next, ...none] = await lines(`${'x'.repeat(1_000_000)}\nnext`, 1000)
    expect([long?.length, next, none]).toEqual([65_537, 'next', []])
  })

  it('goes on where bytes are no text', async () => {
    expect(await lines(Buffer.from([0xff, 0x0a, 0x61]))).toEqual(['\uFFFD', 'a'])
  })
})
