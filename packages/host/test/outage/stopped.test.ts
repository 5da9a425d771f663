import { afterEach, expect, it } from '@jest/globals'
import { until } from '@sluice/faults/outage'
import { Child } from '../child.ts'
import { Here } from '../here.ts'

const limit = 100
const here = new Here()
const children: Child[] = []

afterEach(async () => {
  await Promise.all(children.map((child) => child.kill()))
  await here.close()
})

async function start(deadline: string): Promise<Child> {
  const child = await Child.start(here.folder, { deadline })
  children.push(child)
  return child
}

it('while the process that holds the counts stands still, the others decide alone; then they count together as before', async () => {
  const holder = await start('20s')
  const [one, other] = [await start('500ms'), await start('500ms')]
  expect(await holder.check('k', 30)).toEqual({ byStore: 30, alone: 0 })
  holder.signal('SIGSTOP')
  expect(await one.check('unheard', 10)).toEqual({ byStore: 0, alone: 10 })
  // Nobody takes its place: it goes on.
  holder.signal('SIGCONT')
  const answered = async (child: Child) => (await child.check('known', 1)).byStore === 1
  await until(async () => (await answered(one)) && (await answered(other)), {
    what: 'the store is asked again',
  })
  const [first, second] = [await one.check('k', 50), await other.check('k', 50)]
  expect([first, second]).toEqual([
    { byStore: 50, alone: 0 },
    { byStore: limit - 30 - 50, alone: 0 },
  ])
})
