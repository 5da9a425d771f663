import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import { pictureOfAdaptive, withAdaptivePicture } from '../src/pictures/adaptive.ts'
import { withPicture } from '../src/pictures/page.ts'
import { pictureOfStrategy } from '../src/pictures/picture.ts'
import { picturedStrategies } from '../src/pictures/scenes.ts'

const root = path.resolve(__dirname, '../../..')
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8')

test.each(picturedStrategies)(
  'the picture of %s is what the library decides: npm run site:pictures draws it',
  async (strategy) => {
    const { svg, ...words } = await pictureOfStrategy(strategy, read('packages/dashboard/page/tokens.css'))
    expect(read(`docs/images/strategies/${strategy}.svg`)).toBe(svg)
    const page = read(`docs/strategies/${strategy}.md`)
    expect(page).toBe(withPicture(page, { strategy, ...words }))
  },
)

test('the picture of the adaptive limit is what the simulation says: npm run site:pictures draws it', () => {
  const { svg, alt } = pictureOfAdaptive(read('packages/dashboard/page/tokens.css'))
  expect(read('docs/images/adaptive.svg')).toBe(svg)
  const page = read('docs/adaptive.md')
  expect(page).toBe(withAdaptivePicture(page, alt))
})
