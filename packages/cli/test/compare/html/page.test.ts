import { describe, expect, it } from '@jest/globals'
import { html } from '../../../src/compare/html/markup.ts'
import { timeAxisOf } from '../../../src/compare/html/time-axis.ts'
import { rate, share } from '../../../src/compare/words.ts'

describe('values in HTML', () => {
  // biome-ignore format: a table
  it.each([
    ['a tag',                '<b>',                        '&#60;b&#62;'],
    ['quotes',               `"it's"`,                     '&#34;it&#39;s&#34;'],
    ['an entity',            '&lt;',                       '&#38;lt;'],
    ['another direction',    '\u202Eabc',                  '%E2%80%AEabc'],
    ['the end of a line',    'a\r\nb\u2028',               'a%0D%0Ab%E2%80%A8'],
    ['half a character',     '\uD800<',                    '\uD800&#60;'],
    ['a number',             7,                            '7'],
    ['nothing',              null,                         ''],
    ['HTML',                 html`<i>${'<'}</i>`,          '<i>&#60;</i>'],
    ['a list of all these',  ['<', html`<br>`, null, 1],   '&#60;<br>1'],
  ])('are text: %s', (_what, value, expected) => {
    expect(html`<p>${value}</p>`.markup).toBe(`<p>${expected}</p>`)
  })
})

describe('the time axis', () => {
  const monday = Date.UTC(2026, 2, 9)

  // biome-ignore format: a table
  it.each([
    // from        step     steps  labels
    [ 0,           1,         10,  ['00:00:00', '00:00:02', '00:00:04', '00:00:06', '00:00:08', '00:00:10']  ],
    [ 90,          1,         60,  ['00:01:30', '00:01:40', '00:01:50', '00:02:00', '00:02:10', '00:02:20', '00:02:30'] ],
    [ 13 * 3600,   6,        600,  ['13:00', '13:10', '13:20', '13:30', '13:40', '13:50', '14:00']           ],
    [ 100,         600,      144,  ['06:00', '12:00', '18:00', '00:00']                                      ],
    [ 0,           10_800,    56,  ['03-09', '03-10', '03-11', '03-12', '03-13', '03-14', '03-15', '03-16']  ],
    [ 0,           1,          0,  []                                                                        ],
  ])('has tidy times: from second %d, steps of %d s, %d of them', (from, step, steps, labels) => {
    const offered = new Array(steps).fill(0)
    const { ticks } = timeAxisOf({ fromMs: monday + from * 1000, stepMs: step * 1000, offered })
    expect(ticks.map(({ label }) => label)).toEqual(labels)
  })

  it('has few lines over years, too', () => {
    const offered = new Array(600).fill(0)
    const { ticks } = timeAxisOf({ fromMs: monday, stepMs: 7 * 86_400_000, offered })
    expect(ticks.length).toBeLessThanOrEqual(8)
    expect(ticks.length).toBeGreaterThan(3)
  })
})

// biome-ignore format: a table
it.each([
  [ share(0),          '0.0 %'       ],
  [ share(0.0004),     'under 0.1 %' ],
  [ share(0.115),      '11.5 %'      ],
  [ share(1),          '100.0 %'     ],
  [ rate(0),           '0'           ],
  [ rate(0.004),       '0.004'       ],
  [ rate(0.25),        '0.3'         ],
  [ rate(1234.56),     '1,234.6'     ],
])('writes numbers so that some never reads as none: %s', (written, expected) => {
  expect(written).toBe(expected)
})
