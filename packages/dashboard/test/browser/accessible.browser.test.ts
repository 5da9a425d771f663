import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import {
  type Browser,
  becomes,
  desk,
  findings,
  narrowPhone,
  type Page,
  reads,
  screens,
  startBrowser,
  view,
} from '@sluice/browser-test'
import type { Message } from '../../src/wire.ts'
import { fromSecond, greeting, hello, historyOf, keyNear, keysOf, row, store } from './scenes.ts'
import { scriptedServer } from './scripted-server.ts'

let browser: Browser
beforeAll(async () => {
  browser = await startBrowser()
})
afterAll(() => browser.close())

const many = Array.from({ length: 30 }, (_, place) => row(`GET /a/long/route/${place}`))
const nine = Array.from({ length: 9 }, (_, place) => row(`limiter${place}`))
const near = keysOf(keyNear({}), keyNear({ id: '2', used: 100, againInMs: 7000 }))
const history = { ...historyOf(nine), outages: [[fromSecond + 258, null]] } as const

const scenes: Readonly<Record<string, readonly Message[]>> = {
  empty: greeting([]),
  one: greeting([row('default', { policy: '' })], { hello: { ...hello, mayManage: true }, keys: near }),
  away: greeting(nine, {
    history,
    keys: near,
    store: { ...store, status: 'down', awayFromMs: hello.nowMs - 42_000 },
  }),
  many: greeting(many, { keys: near }),
}

async function open(
  scene: string,
  options: Parameters<typeof view>[2],
): Promise<{ page: Page; close(): Promise<void> }> {
  const server = await scriptedServer(() => scenes[scene] ?? [])
  const { page, complaints } = await view(browser, server.url, options)
  await reads(page, '#status', 'Live')
  async function close(): Promise<void> {
    await page.context().close()
    await server.close()
    expect(complaints).toEqual([])
  }
  return { page, close }
}

describe.each(Object.entries(screens))('on %s', (_, options) => {
  test.each(Object.keys(scenes))('axe finds nothing serious in the scene "%s"', async (scene) => {
    const { page, close } = await open(scene, options)
    expect(await findings(page)).toEqual([])
    await close()
  })
})

test('axe finds nothing serious in the dialog and on a page that has lost its server', async () => {
  const server = await scriptedServer(() => scenes.one ?? [])
  const { page } = await view(browser, server.url)
  await reads(page, '#status', 'Live')
  await page.getByRole('button', { name: 'Inspect' }).first().click()
  expect(await findings(page)).toEqual([])
  await page.keyboard.press('Escape')
  await server.close()
  await page.locator('body.stale').waitFor()
  expect(await findings(page)).toEqual([])
  await page.context().close()
})

describe.each(Object.keys(scenes))('the scene "%s" on the narrowest phone', (scene) => {
  test('needs no sideways scrolling, and what is touched is large', async () => {
    const { page, close } = await open(scene, narrowPhone)
    expect(await page.locator('html').evaluate((html) => html.scrollWidth)).toBe(320)
    const targets = page.locator(
      'button:visible, select:visible, input[type=search]:visible, .segments label',
    )
    const small: string[] = []
    for (const target of await targets.all()) {
      const { height = 0 } = (await target.boundingBox()) ?? {}
      if (height < 44) small.push(`${height} px: ${await target.innerHTML()}`)
    }
    expect(small).toEqual([])
    await close()
  })
})

test('a skip link leads past the bar to the policies', async () => {
  const { page, close } = await open('one', desk)
  await page.keyboard.press('Tab')
  expect(await page.locator(':focus').textContent()).toBe('Skip to the policies')
  expect((await page.locator('.skip').boundingBox())?.y).toBeGreaterThanOrEqual(0)
  await page.keyboard.press('Enter')
  expect(await page.locator(':focus').getAttribute('id')).toBe('policies')
  await page.keyboard.press('Tab')
  expect(await page.locator(':focus').getAttribute('id')).toBe('order')
  await close()
})

test.each([
  ['reduce', 'none'],
  ['no-preference', 'pulse'],
] as const)(
  'with the preference "%s" for motion the live mark moves by "%s"',
  async (reducedMotion, animation) => {
    const { page, close } = await open('one', { ...desk, reducedMotion })
    const mark = page.locator('#status .dot')
    expect(await mark.evaluate((dot) => dot.computedStyleMap().get('animation-name')?.toString())).toBe(
      animation,
    )
    await close()
  },
)

test('charts take the colours of the scheme, also when it changes', async () => {
  const { page, close } = await open('one', desk)
  const ink = () => page.locator('canvas').first().evaluate(inkOf)
  await becomes(ink, 'dark')
  await page.emulateMedia({ colorScheme: 'dark' })
  await becomes(ink, 'light')
  await close()
})

interface Canvas {
  readonly width: number
  readonly height: number
  cloneNode(): Canvas
  getContext(kind: '2d', options: { readonly willReadFrequently: true }): Context
}

interface Context {
  drawImage(source: Canvas, x: number, y: number): void
  getImageData(x: number, y: number, width: number, height: number): { readonly data: Uint8ClampedArray }
}

/** Whether dark or light pixels prevail on a chart: the limit and the numbers are drawn in ink. Runs in the browser. */
function inkOf(canvas: Canvas): 'dark' | 'light' {
  const context = canvas.cloneNode().getContext('2d', { willReadFrequently: true })
  context.drawImage(canvas, 0, 0)
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height)
  let [dark, light] = [0, 0]
  for (let at = 0; at < data.length; at += 4) {
    const sum = (data[at] ?? 0) + (data[at + 1] ?? 0) + (data[at + 2] ?? 0)
    if (data[at + 3] === 255 && sum < 150) dark++
    if (data[at + 3] === 255 && sum > 600) light++
  }
  return dark > light ? 'dark' : 'light'
}
