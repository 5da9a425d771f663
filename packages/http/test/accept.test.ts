import { describe, expect, it } from '@jest/globals'
import { timesAsMuch } from '@sluice/conformance/internal'
import fc from 'fast-check'
import { prefersText } from '../src/accept.ts'

describe('prefersText', () => {
  // biome-ignore format: a table
  it.each([
    // what browsers and people's tools send
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7',
    'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'text/html, application/xhtml+xml, image/jxr, */*;q=0.1',
    'text/plain', 'TEXT/HTML', 'text/*', 'text/html;level=1', 'text/plain; charset=utf-8',
    // qualities
    'text/*;q=0.9, application/json;q=0.1',
    'application/json;q=0.1, text/plain;q=0.101',
    'application/json;q=0.9, application/problem+json;q=0.9, text/html',
    'text/plain, */*;q=0.9', 'text/html;q=0.2, application/*;q=0.1', 'text/plain;q=0.001', 'text/plain;Q=0.5,application/*;q=0.4',
    'application/json;q=0, application/problem+json;q=0, */*', 'application/*;q=0, */*;q=0.5',
    // the most specific range decides, wherever it stands
    '*/*, application/*;q=0.5', 'application/json;q=0.1, application/problem+json;q=0.1, */*', 'text/plain;q=0.5, text/*;q=0.1, application/*;q=0.3',
    // grammar that looks odd and is right
    ' text/plain ', ',, text/plain ,\t,', 'text/plain;', 'text/plain ; ; q=0.5', 'text/plain;x="a,b;c\\"d";q=0.5,application/json;q=0.4',
    'text/plain;q=0.5;ext=1, application/json;q=0.4', 'text/plain;q=1., application/json;q=0.', 'text/plain;q=1.000, application/json;q=0.999',
  ])('prefers text for %j', (accept) => {
    expect(prefersText(accept)).toBe(true)
  })

  // biome-ignore format: a table
  it.each([
    // no preference for text
    undefined, '', ' ', ',', '*/*', 'application/json', 'application/problem+json', 'application/*', 'image/png', 'application/xml',
    'application/json, text/plain, */*', 'text/plain, application/json', 'text/plain;q=0.5, application/json;q=0.5',
    'text/html, application/problem+json', 'text/plain;q=0.8, */*;q=0.8', 'text/plain;q=0', 'text/*;q=0.3, */*;q=0.5',
    'text/plain;q=0.1, text/html;q=0.2, application/json;q=0.3', 'application/json;charset=utf-8, text/plain;q=0.5',
    'text/plain;q=0.4, text/html;q=0.4, text/*, */*;q=0.5', 'textual/plain', 'text/markdown', 'application/vnd.api+json',
    'text/plain;x=",text/html;q=1";q=0.1, application/json;q=0.2', 'text/plain;q=0.1;q=0.2, application/json;q=0.3',
    'text/plain;Q=0.1, application/json;q=0.2',
    // broken
    'text', 'text/', '/plain', 'text/plain/x', 'text plain', 'text/plain text/html', 'text/plain;q', 'text/plain;q=', 'text/plain;q=2',
    'text/plain;q=1.001', 'text/plain;q=0.1234', 'text/plain;q=-1', 'text/plain;q=.5', 'text/plain;q="0.5"', 'text/plain;q=high',
    'text/plain;q =1', 'text/plain;q= 1', 'text/plain;x="', 'text/plain, *', 'text/plain, */json', 'text/plain, @', 'text/plain\n', '\u{1F42F}/plain',
    'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2',
  ])('keeps to JSON for %j', (accept) => {
    expect(prefersText(accept)).toBe(false)
  })

  it('looks at no more than 1,024 characters', () => {
    const honest = `text/plain${' '.repeat(1014)}`
    expect(prefersText(honest)).toBe(true)
    expect(prefersText(`${honest} `)).toBe(false)
    expect(prefersText(`text/plain,${'a/b,'.repeat(1_000_000)}`)).toBe(false)
  })

  it.each([';', '; ', ' ;', ';;  ', 'a', 'a/', 'a/b;', 'a/b;"', 'a/b;c="\\', ';c="', ', ', 'a/b;c=d ', '*/'])(
    'reads a field full of %j in time in proportion to its length',
    async (piece) => {
      for (const start of ['', 'a/b', 'a/b;c="']) {
        const textOf = (characters: number) => `${start}${piece.repeat(1024)}`.slice(0, characters - 1)
        const [long, short] = [`${textOf(1024)}"`, `${textOf(64)}"`]
        const reading = (text: string, times: number) => () => {
          for (let i = 0; i < times; i++) prefersText(text)
        }
        // 1 where work grows with the length, 16 where it grows with the square of it.
        expect(await timesAsMuch(reading(long, 100), reading(short, 1600))).toBeLessThan(5)
      }
    },
  )

  it('never throws', () => {
    const pieces = fc.constantFrom(
      'text/plain',
      'application/json',
      '*/*',
      ';',
      ',',
      'q=',
      '0.5',
      '"',
      '\\',
      ' ',
      '=',
      'é',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(pieces).map((list) => list.join('')),
        ),
        (accept) => {
          expect(typeof prefersText(accept)).toBe('boolean')
        },
      ),
      { numRuns: 2000 },
    )
  })

  it('does not depend on the order of the ranges', () => {
    const ranges = fc.record({
      type: fc.constantFrom(
        'text/plain',
        'text/html',
        'text/*',
        'application/json',
        'application/problem+json',
        'application/*',
        '*/*',
      ),
      quality: fc.constantFrom('', ';q=0', ';q=0.3', ';q=0.5', ';q=1'),
    })
    fc.assert(
      fc.property(fc.array(ranges, { maxLength: 8 }), (list) => {
        const texts = list.map(({ type, quality }) => type + quality)
        expect(prefersText(texts.join(', '))).toBe(prefersText(texts.toReversed().join(',')))
      }),
    )
  })
})
