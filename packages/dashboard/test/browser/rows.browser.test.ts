import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Browser, reads, startBrowser } from '@sluice/browser-test'
import { greeting, manyRows, nothing, row, rowsNamed, secondAfter } from './scenes.ts'
import { shown } from './shown.ts'

let browser: Browser
beforeAll(async () => {
  browser = await startBrowser()
})
afterAll(() => browser.close())

describe('rows', () => {
  test.each([
    [3, 260],
    [4, 96],
    [12, 96],
    [13, 44],
  ])('%i of them have charts %i px high', async (count, height) => {
    const { page, close } = await shown(browser, greeting(manyRows(count)))
    await reads(page, '#policy-count', String(count))
    expect((await page.locator('.chart').first().boundingBox())?.height).toBe(height)
    expect((await page.locator('.chart .uplot').first().boundingBox())?.height).toBe(height)
    await close()
  })

  test('of a long list have the lane of their windows where it is asked for', async () => {
    const { page, close } = await shown(browser, greeting(manyRows(13)))
    const height = async () => (await page.locator('.chart').first().boundingBox())?.height
    await reads(page, '#policy-count', '13')
    expect(await height()).toBe(44)
    await page.locator('#windows').check()
    await reads(page, '#rows.usual #cursor-time', 'Policy')
    expect(await height()).toBe(96)
    await close()
  })

  test('are those that the address names, as it says', async () => {
    const { page, close } = await shown(browser, greeting(manyRows(30)), { hash: '#filter=route1&windows' })
    await reads(page, '#policy-count', '11 of 30')
    expect((await page.locator('.chart').first().boundingBox())?.height).toBe(96)
    expect(await page.locator('#filter').inputValue()).toBe('route1')
    await page.evaluate("location.hash = '#filter=route&windows'")
    await reads(page, '#policy-count', '30')
    expect((await page.locator('.chart').first().boundingBox())?.height).toBe(96)
    await close()
  })

  test('say the limit that holds for each key, over which they are marked', async () => {
    const rows = [
      row('a'),
      row('b', { limit: 99 }),
      row('c', { limit: 200, manyKeys: true }),
      row('d', { limit: null, policy: '' }),
    ]
    const { page, close } = await shown(browser, greeting(rows))
    await reads(page, '.row h3', 'a / everybody', 'b / everybody', 'c / everybody', 'd')
    await reads(
      page,
      '.peak',
      'most in 10 s 100 of 100',
      'most in 10 s 100 of 99',
      'fullest key 100 of 200',
      'most in 10 s 100 no limit',
    )
    expect(await page.locator('.over-mark:visible').count()).toBe(1)
    expect(await page.locator('.row:nth-child(2) .over-mark').isVisible()).toBe(true)
    await close()
  })

  test('describe their charts in a sentence of numbers', async () => {
    const { page, server, close } = await shown(browser, greeting(rowsNamed('tiger')))
    const rows = { tiger: { admitted: 3000, refused: 1000, most: 112 } }
    server.send(secondAfter(0, { totals: { ...nothing, rows } }))
    await reads(page, '.row .share', 'refused 25.0 %')
    expect(await page.locator('.chart').getAttribute('aria-label')).toBe(
      'tiger / everybody: in 5 minutes 3,000 admitted, 1,000 refused (25.0 %), most in 10 s 112 of 100.',
    )
    await close()
  })

  test('say what draws on them, where requests are of kinds', async () => {
    const { page, server, close } = await shown(browser, greeting(rowsNamed('tiger', 'owl')))
    const groups = [
      ['export', 3000],
      ['write', 40],
    ] as const
    const units = { admitted: 3040, refused: 0, most: 112 }
    server.send(secondAfter(0, { totals: { ...nothing, rows: { tiger: { ...units, groups }, owl: units } } }))
    await reads(page, '.row .groups', 'export 3,000, write 40')
    server.send(secondAfter(1, { totals: { ...nothing, rows: { tiger: units, owl: units } } }))
    await reads(page, '.row .groups')
    await close()
  })

  test('come in the order that is chosen', async () => {
    const [tiger, owl, seal] = [row('tiger'), row('owl', { limit: 50 }), row('seal')]
    const { page, server, close } = await shown(browser, greeting([tiger, owl, seal]))
    server.send(
      secondAfter(0, {
        rows: {
          tiger: { inWindow: 70, admitted: 1, refused: 1 },
          owl: { inWindow: 45, admitted: 1, refused: 1 },
          seal: { inWindow: 20, admitted: 1, refused: 1 },
        },
        totals: {
          ...nothing,
          rows: {
            tiger: { admitted: 9, refused: 5, most: 70 },
            owl: { admitted: 9, refused: 3, most: 45 },
            seal: { admitted: 9, refused: 8, most: 20 },
          },
        },
      }),
    )
    await page.locator('#order').selectOption('most refused')
    await reads(page, '.row .limiter', 'seal', 'tiger', 'owl')
    await page.locator('#order').selectOption('nearest to its limit')
    await reads(page, '.row .limiter', 'owl', 'tiger', 'seal')
    await page.locator('#order').selectOption('as configured')
    await reads(page, '.row .limiter', 'tiger', 'owl', 'seal')
    await close()
  })
})
