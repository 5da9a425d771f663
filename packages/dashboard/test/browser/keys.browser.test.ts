import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Browser, findings, type Page, reads, startBrowser, textsOf } from '@sluice/browser-test'
import type { Inspected, NearKey } from '../../src/wire.ts'
import { greeting, hello, keyNear, keysOf, row } from './scenes.ts'
import { shown } from './shown.ts'

let browser: Browser
beforeAll(async () => {
  browser = await startBrowser()
})
afterAll(() => browser.close())

const lines = (page: Page) => textsOf(page, '#key-list tr')
const managed = (...keys: readonly NearKey[]) =>
  greeting([row('tiger')], { hello: { ...hello, mayManage: true }, keys: keysOf(...keys) })

describe('keys near their limit', () => {
  test('say what is used, and when they may pass again', async () => {
    const keys = keysOf(
      keyNear({ id: '1', key: 'ann', used: 100, againInMs: 60_000, refused: 1234 }),
      keyNear({ id: '2', key: 'bob', used: 99 }),
      keyNear({ id: '3', key: 'eve', used: 100, againInMs: 3_600_000, blockedMs: 3_600_000, refused: 2 }),
      keyNear({ id: '5', key: 'ida', used: 100, refused: 0 }),
      keyNear({ id: '4', policy: '', key: 'max', used: 2500, limit: 3000, refused: 0 }),
    )
    const { page, close } = await shown(browser, greeting([row('tiger')], { keys }))
    expect(await lines(page)).toEqual([
      'tiger / everybody ann 100 of 100 again in 60 s 1,234',
      'tiger / everybody bob 99 of 100 1 left 15',
      'tiger / everybody eve 100 of 100 blocked for 60 min 2',
      'tiger / everybody ida 100 of 100 full 0',
      'tiger max 2,500 of 3,000 500 left 0',
    ])
    const meters = page.locator('#key-list .meter')
    expect(await meters.evaluateAll((all) => all.map((meter) => meter.classList.contains('full')))).toEqual([
      true,
      false,
      true,
      true,
      false,
    ])
    expect(await meters.nth(1).locator('rect').getAttribute('width')).toBe('99%')
    expect(await meters.nth(1).getAttribute('aria-label')).toBe('tiger / everybody, bob: 99 of 100 used')
    await close()
  })

  test('are text, whatever they are made of', async () => {
    const hostile = '<img src=x onerror="document.title=1">'
    const keys = keysOf(
      keyNear({ key: hostile, limiter: hostile, policy: '</td><script>document.title=2</script>' }),
    )
    const info = row('x', { limiter: hostile, policy: '"><b>', strategy: '<i>', rule: '&lt;' })
    const { page, server, close } = await shown(browser, greeting([info], { keys }))
    server.send({
      event: 'events',
      events: [{ atMs: 1_700_000_000_000, mark: '', title: hostile, text: '<a href="javascript:1">' }],
    })
    await reads(page, '#events .title', hostile)
    expect(await textsOf(page, '.row h3')).toEqual([`${hostile} / "><b>`])
    expect(await textsOf(page, '#key-list .key')).toEqual([hostile])
    expect(await page.locator('main img, main script, #events a').count()).toBe(0)
    expect(await page.title()).toBe('Sluice dashboard')
    await close()
  })

  test('leave the page as it is when the server allows no more than looking', async () => {
    const { page, close } = await shown(browser, greeting([row('tiger')], { keys: keysOf(keyNear({})) }))
    expect(await page.locator('button', { hasText: /Inspect|Block|Unblock|Reset/ }).count()).toBe(0)
    await close()
  })
})

describe('a key that is inspected', () => {
  const seen: Inspected = {
    key: 'bob',
    whole: 'bob',
    limiter: 'tiger',
    policy: 'everybody',
    strategy: 'attributed window',
    used: 30,
    limit: 30,
    nextInMs: 3_380_000,
    fullInMs: 7_180_000,
    blockedMs: null,
    banned: false,
    listed: null,
    entries: [
      { note: 'ann', units: 9 },
      { note: '<b>', units: 4 },
      { note: 'eve', units: 3 },
      { note: 'max', units: 2 },
      { note: 'ida', units: 1 },
    ],
  }

  test('shows all about itself, and is blocked, let in again and reset by the keyboard', async () => {
    const { page, server, close } = await shown(browser, managed(keyNear({ id: 'k1', key: 'bob' })), { seen })
    await page.getByRole('button', { name: 'Inspect bob of tiger / everybody' }).focus()
    await page.keyboard.press('Enter')
    await reads(page, '.info dd', '30 of 30', 'in 57 min', 'in 120 min', 'no', 'ann 9, <b> 4, eve 3, 2 more')
    expect(await textsOf(page, 'dialog header')).toEqual(['bob tiger / everybody, attributed window Close'])
    await page.getByLabel('Block for').selectOption('1 h')
    await page.getByRole('button', { name: 'Block', exact: true }).press('Enter')
    await reads(page, '#question', 'Block bob of tiger / everybody for 1 h?')
    await page.getByRole('button', { name: 'Block bob' }).press('Enter')
    await reads(page, '#inspect-said', 'Blocked.')
    expect(await page.locator(':focus').textContent()).toBe('Block')
    expect(await page.getByRole('button', { name: 'Unblock' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Reset' }).press('Enter')
    await reads(page, '#question', 'Reset bob of tiger / everybody? Its count and any block are forgotten.')
    await page.getByRole('button', { name: 'Reset bob' }).press('Enter')
    await reads(page, '#inspect-said', 'Reset.')
    expect(server.acts).toEqual([
      { name: 'inspect', id: 'k1' },
      { name: 'block', id: 'k1', seconds: 3600 },
      { name: 'inspect', id: 'k1' },
      { name: 'reset', id: 'k1' },
      { name: 'inspect', id: 'k1' },
    ])
    await page.keyboard.press('Escape')
    expect(await page.locator('dialog').isVisible()).toBe(false)
    expect(await page.locator(':focus').textContent()).toBe('Inspect')
    await close()
  })

  test('may be unblocked while it is blocked', async () => {
    const blocked = { ...seen, blockedMs: 530_000, entries: [] }
    const { page, server, close } = await shown(browser, managed(keyNear({ id: 'k2', key: 'bob' })), {
      seen: blocked,
    })
    await page.getByRole('button', { name: 'Inspect' }).click()
    await reads(page, '.info dd', '30 of 30', 'in 57 min', 'in 120 min', 'for 9 min')
    await page.getByRole('button', { name: 'Unblock', exact: true }).click()
    await page.getByRole('button', { name: 'Unblock bob' }).click()
    await reads(page, '#inspect-said', 'Unblocked.')
    expect(server.acts[1]).toEqual({ name: 'unblock', id: 'k2' })
    await close()
  })

  test('says why when the server has forgotten it', async () => {
    const { page, close } = await shown(browser, managed(keyNear({})))
    await page.getByRole('button', { name: 'Inspect' }).click()
    await reads(page, '#inspect-said', 'This key is no longer shown.')
    expect(await page.getByRole('button', { name: 'Reset' }).isDisabled()).toBe(true)
    await close()
  })

  test('is not touched by who changes their mind', async () => {
    const { page, server, close } = await shown(browser, managed(keyNear({ id: 'k1', key: 'bob' })), { seen })
    await page.getByRole('button', { name: 'Inspect' }).click()
    await reads(page, '#inspect-used', '30 of 30')
    await page.getByRole('button', { name: 'Reset' }).click()
    expect(await findings(page)).toEqual([])
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect(await page.locator(':focus').textContent()).toBe('Reset')
    expect(server.acts).toEqual([{ name: 'inspect', id: 'k1' }])
    await close()
  })

  test('stays chosen while the table changes behind it', async () => {
    const { page, server, close } = await shown(
      browser,
      managed(keyNear({ id: 'a', key: 'ann' }), keyNear({ id: 'b', key: 'bob' })),
      { seen },
    )
    const button = page.getByRole('button', { name: 'Inspect bob of tiger / everybody' })
    await button.focus()
    server.send(keysOf(keyNear({ id: 'b', key: 'bob', used: 99 }), keyNear({ id: 'e', key: 'eve' })))
    // Nothing moves below the focus: who has gone stays, and who is new comes last.
    await reads(page, '#key-list .key', 'ann', 'bob', 'eve')
    expect(await textsOf(page, '#key-list .state')).toEqual(['not listed any more', '1 left', '6 left'])
    expect(await page.locator('#held').isVisible()).toBe(true)
    expect(await page.locator(':focus').getAttribute('aria-label')).toBe('Inspect bob of tiger / everybody')
    await button.blur()
    server.send(keysOf(keyNear({ id: 'e', key: 'eve' }), keyNear({ id: 'b', key: 'bob' })))
    await reads(page, '#key-list .key', 'eve', 'bob')
    expect(await page.locator('#held').isVisible()).toBe(false)
    await close()
  })
})
