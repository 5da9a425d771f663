import { describe, expect, test } from '@jest/globals'
import { becomes, type Page, reads, type ViewOptions } from '@sluice/browser-test'
import { fixedWindow, slidingWindowLog } from '@sluice/core'
import { limiterOf, opened, recording, startReal } from './real.ts'

startReal()

/** A desk of 1280 px, everything on it twice as large, and a phone of 640 px so. */
const zoomed = { viewport: { width: 640, height: 450 }, deviceScaleFactor: 2 }
const zoomedPhone = { viewport: { width: 320, height: 450 }, deviceScaleFactor: 2 }

const longKey = `session-${'0123456789abcdef'.repeat(5)}`

/** Long names, large numbers, a long key: as many policies as asked for. */
async function crowded(count: number, screen: ViewOptions): Promise<Page> {
  const { seen } = recording()
  const policies = { everybody_together: fixedWindow({ limit: 1_000_000, window: '1h' }) }
  const limiters = Array.from({ length: count }, (_, place) =>
    limiterOf(`/tickets/of/the/long/route/${place}`, policies, seen),
  )
  const page = await opened({ recorder: seen, limiters, mayManage: () => true, maskKeys: false }, screen)
  for (const limiter of limiters) {
    await limiter.check('everybody', { cost: 999_999 })
    await limiter.check('everybody', { cost: 900_000 })
  }
  await limiters[0]?.check(longKey, { cost: 900_000 })
  await becomes(() => page.locator('.row').count(), count)
  await becomes(async () => (await page.locator('#key-list tr').count()) >= count, true)
  await page.locator('.row').first().scrollIntoViewIfNeeded()
  await page.locator('.row .uplot').first().waitFor()
  return page
}

/** Texts that lie beyond the edge of the page, or that are cut without a sign of it. Runs in the page. */
const beyond = `(() => {
  const found = []
  for (const node of document.querySelectorAll('body *')) {
    if (node.closest('.visually-hidden, svg, .uplot, template, [hidden]') || node.childElementCount > 0) continue
    if (node.textContent.trim() === '' || getComputedStyle(node).clipPath !== 'none') continue
    const { left, right, width } = node.getBoundingClientRect()
    if (width === 0) continue
    if (left < -1 || right > innerWidth + 1) found.push(node.textContent)
  }
  return found
})()`

/** How far each label among the totals is from the line beside it. Runs in the page. */
const roomsOfTotals = `[...document.querySelectorAll('.totals > div')].map((part) => {
  const range = document.createRange()
  range.selectNodeContents(part.querySelector('dt'))
  const right = Math.max(...[...range.getClientRects()].map((rect) => rect.right))
  return part.getBoundingClientRect().right - right
})`

/** Pairs of texts in one row or among the totals, each over the other. Runs in the page. */
const collisions = `(() => {
  const found = []
  for (const row of document.querySelectorAll('.row, .head, .overview, #key-list tr')) {
    if (!row.firstElementChild.checkVisibility({ contentVisibilityAuto: true })) continue
    const boxes = []
    const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const { parentElement } = node
      if (node.textContent.trim() === '' || parentElement.closest('.visually-hidden, svg, [hidden]')) continue
      if (getComputedStyle(parentElement).clipPath !== 'none') continue
      const range = document.createRange()
      range.selectNodeContents(node)
      for (const { left, right, top, bottom } of range.getClientRects()) {
        const box = { text: node.textContent, left, right, top, bottom }
        for (let around = parentElement; around !== row; around = around.parentElement) {
          if (getComputedStyle(around).overflowX === 'visible') continue
          const cut = around.getBoundingClientRect()
          box.right = Math.min(box.right, cut.right)
          box.bottom = Math.min(box.bottom, cut.bottom)
        }
        if (box.right > box.left && box.bottom > box.top) boxes.push(box)
      }
    }
    for (const [place, a] of boxes.entries())
      for (const b of boxes.slice(place + 1)) {
        const across = Math.min(a.right, b.right) - Math.max(a.left, b.left)
        const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)
        if (a.text !== b.text && across > 1 && down > 5) found.push([a.text, b.text].join(' | '))
      }
    const edge = row.getBoundingClientRect().bottom + 1
    found.push(...boxes.filter(({ bottom }) => bottom > edge).map(({ text }) => 'below its row: ' + text))
  }
  return found
})()`

describe.each([
  ['at 200 percent', zoomed],
  ['at 200 percent of a phone', zoomedPhone],
])('%s', (_name, screen) => {
  test.each([2, 9, 20])(
    'the page of %i policies needs no sideways scrolling, and nothing is cut',
    async (count) => {
      const page = await crowded(count, screen)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(screen.viewport.width)
      expect(await page.evaluate(beyond)).toEqual([])
      expect(await page.evaluate(collisions)).toEqual([])
    },
  )

  test('the dialog shows a long key in full, and has its buttons in reach', async () => {
    const page = await crowded(2, screen)
    await page.getByRole('button', { name: `Inspect ${longKey}` }).click()
    await reads(page, '#inspect-said')
    await page.getByRole('button', { name: 'Block', exact: true }).click()
    expect(await page.evaluate(beyond)).toEqual([])
    await page.locator('#sure').scrollIntoViewIfNeeded()
    const { y = 0, height = 0 } = (await page.locator('#sure').boundingBox()) ?? {}
    expect(y + height).toBeLessThanOrEqual(screen.viewport.height)
  })
})

describe.each([1440, 1100, 1000, 800])('on a screen %i px wide', (width) => {
  test.each([9, 20])('no text of %i rows lies over another', async (count) => {
    const page = await crowded(count, { viewport: { width, height: 900 } })
    expect(await page.evaluate(collisions)).toEqual([])
    expect(await page.evaluate(beyond)).toEqual([])
  })
})

test('a long key takes two lines, and its title has all of it', async () => {
  const page = await crowded(2, {})
  const key = page.locator('#key-list .key bdi', { hasText: 'session-' })
  expect(await key.getAttribute('title')).toBe(longKey)
  const lines = await key.evaluate(
    (node: { readonly clientHeight: number; computedStyleMap(): { get(name: string): unknown } }) => [
      node.clientHeight,
      String(node.computedStyleMap().get('font-size')),
    ],
  )
  expect(lines[0]).toBeLessThanOrEqual(2 * 1.6 * Number.parseFloat(String(lines[1])))
})

/** Of the first chart: which quarters of the gutter's height have something in them. Runs in the page. */
const labelled = `(() => {
  const canvas = document.querySelector('.row canvas')
  const context = canvas.cloneNode().getContext('2d', { willReadFrequently: true })
  context.drawImage(canvas, 0, 0)
  const { width, height } = canvas
  const isPainted = (quarter) =>
    context.getImageData(0, Math.round((height * quarter) / 4), 35, Math.round(height / 4)).data.some((value) => value > 0)
  return [0, 1, 2, 3].map(isPainted)
})()`

test.each([
  [9, [true, true, true, true]],
  [20, [true, true, true, false]],
])('of %i rows the numbers of a chart keep away from those of the next one', async (count, expected) => {
  const page = await crowded(count, { viewport: { width: 1440, height: 900 } })
  expect(await page.evaluate(labelled)).toEqual(expected)
})

test.each([640, 390, 320])('no label among the totals touches the line beside it at %i px', async (width) => {
  const page = await crowded(1, { viewport: { width, height: 800 } })
  const rooms = await page.evaluate<readonly number[]>(roomsOfTotals)
  expect(rooms).toHaveLength(6)
  for (const room of rooms) expect(room).toBeGreaterThanOrEqual(6)
})

test.each([640, 390, 320])('the bar takes no third line at %i px', async (width) => {
  const page = await crowded(2, { viewport: { width, height: 450 } })
  expect((await page.locator('.bar').boundingBox())?.height).toBeLessThan(width === 640 ? 60 : 110)
})

test('nothing shines through at the corners of the head that stays above the rows', async () => {
  const page = await crowded(20, { viewport: { width: 1440, height: 600 } })
  await page.locator('.row').nth(10).scrollIntoViewIfNeeded()
  const behind = await page.evaluate(`(() => {
    const { left, right, top } = document.querySelector('.head').getBoundingClientRect()
    return [left, right - 1].map((x) => document.elementFromPoint(x, top + 0.5).closest('.head, .row')?.className)
  })()`)
  expect(behind).toEqual(['head', 'head'])
})

/** The colour that most of an element is painted in: where colours are forced, its style does not say. */
async function paintOf(page: Page, selector: string): Promise<string> {
  const picture = await page.locator(selector).screenshot({ animations: 'disabled' })
  return page.evaluate<string>(`(async () => {
    const bytes = Uint8Array.from(atob('${picture.toString('base64')}'), (letter) => letter.charCodeAt(0))
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')
    context.drawImage(bitmap, 0, 0)
    const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height)
    const counts = new Map()
    for (let at = 0; at < data.length; at += 4) {
      const colour = data.slice(at, at + 3).join()
      counts.set(colour, (counts.get(colour) ?? 0) + 1)
    }
    return [...counts].sort(([, a], [, b]) => b - a)[0][0]
  })()`)
}

test('where colours are forced, the span that is chosen and the state of the page and the store are seen', async () => {
  const { seen } = recording()
  const limiter = limiterOf('tiger', { default: slidingWindowLog({ limit: 5, window: '1h' }) }, seen)
  const page = await opened({ recorder: seen, limiters: [limiter] }, { forcedColors: 'active' })
  const spans = []
  for (let place = 1; place <= 4; place++)
    spans.push(await paintOf(page, `.segments label:nth-of-type(${place}) span`))
  const [chosen, ...others] = [spans[1], spans[0], spans[2], spans[3]]
  expect(new Set(others).size).toBe(1)
  expect(others).not.toContain(chosen)
  const paper = await paintOf(page, '.bar')
  for (const mark of ['#status .dot', '#store-mark']) expect(await paintOf(page, mark)).not.toBe(paper)
})
