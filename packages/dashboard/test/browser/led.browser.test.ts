import { expect, test } from '@jest/globals'
import { becomes, type Page, reads } from '@sluice/browser-test'
import { fixedWindow } from '@sluice/core'
import { awayStore, limiterOf, opened, recording, startReal } from './real.ts'

startReal()

/** Where an alert leads, with a key that somebody has written behind it. */
const hash = '#span=900&limiter=tiger&policy=visitor&key=203.0.113.9'
const of = (limit: number) => fixedWindow({ limit, window: '1h' })
const policies = { visitor: of(5), everybody: of(100) }
const asking = { visitor: '203.0.113.9', everybody: 'all' }

const rows = async (page: Page, ...names: readonly string[]) => reads(page, '#list h3', ...names)

async function showsThatAlone(page: Page): Promise<void> {
  await rows(page, 'tiger / visitor')
  await reads(page, '#only-words', 'Only tiger / visitor')
  expect(await page.locator('[name=span]:checked').inputValue()).toBe('900')
  await reads(page, '#h-inspect', '203.0.113.9')
  await reads(page, '#inspect-policy', 'tiger / visitor, fixed window')
}

test('an address opens with the policy, the key and the span, and the other policies are one click away', async () => {
  const { seen } = recording()
  const tiger = limiterOf('tiger', policies, seen)
  const tigerTwo = limiterOf('tiger two', policies, seen)
  for (const limiter of [tiger, tigerTwo]) for (let i = 0; i < 3; i++) await limiter.check(asking)
  const options = { recorder: seen, limiters: [tiger, tigerTwo], mayManage: () => true, maskKeys: false }
  const page = await opened(options, { hash })
  await showsThatAlone(page)
  await reads(page, '#inspect-used', '3 of 5')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Show all policies' }).click()
  await rows(page, 'tiger / visitor', 'tiger / everybody', 'tiger two / visitor', 'tiger two / everybody')
  await becomes(async () => new URL(page.url()).hash, '#span=900')
})

test('opened in an outage it shows what is decided without the store, and the key once the store is back', async () => {
  const { seen } = recording()
  const { store, comeBack } = awayStore()
  const tiger = limiterOf('tiger', policies, { observer: seen, store })
  const owl = limiterOf('owl', policies, { observer: seen, store })
  for (const limiter of [tiger, owl]) for (let i = 0; i < 3; i++) await limiter.check(asking)
  const options = { recorder: seen, limiters: [tiger, owl], mayManage: () => true, maskKeys: false }
  const page = await opened(options, { hash, meant: /status of 503/ })
  await rows(page, 'tiger / visitor')
  await page.locator('#outage').waitFor()
  await reads(page, '#inspect-said', 'The store does not answer.')
  comeBack()
  await showsThatAlone(page)
  await reads(page, '#inspect-used', '0 of 5')
  await reads(page, '#inspect-said')
  // Whoever comes after it sees the same.
  await showsThatAlone(await opened(options, { hash }))
})

test('a policy is found by the name that it has in metrics, and another name says that it is none', async () => {
  const { seen } = recording()
  const owl = limiterOf('GET /owls & more', { default: of(5) }, seen)
  const tiger = limiterOf('tiger', policies, seen)
  await owl.check('bob')
  await tiger.check(asking)
  const options = { recorder: seen, limiters: [owl, tiger] }
  await rows(
    await opened(options, { hash: '#limiter=GET+%2Fowls+%26+more&policy=default' }),
    'GET /owls & more',
  )
  await rows(await opened(options, { hash: '#limiter=tiger' }), 'tiger / visitor', 'tiger / everybody')
  const none = await opened(options, { hash: '#limiter=lion&policy=constructor&key=bob' })
  await reads(none, '#no-match', 'No policy matches')
  await reads(none, '#only-words', 'Only lion / constructor')
})
