// Draws the pictures of the strategies' pages and of docs/adaptive.md, and puts them there: npm run site:pictures.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pictureOfAdaptive, withAdaptivePicture } from './adaptive.ts'
import { withPicture } from './page.ts'
import { pictureOfStrategy } from './picture.ts'
import { picturedStrategies } from './scenes.ts'

const root = path.resolve(import.meta.dirname, '../../../..')
const tokens = readFileSync(path.join(root, 'packages/dashboard/page/tokens.css'), 'utf8')
const images = path.join(root, 'docs/images/strategies')
mkdirSync(images, { recursive: true })

for (const strategy of picturedStrategies) {
  const { svg, ...words } = await pictureOfStrategy(strategy, tokens)
  writeFileSync(path.join(images, `${strategy}.svg`), svg)
  const page = path.join(root, 'docs/strategies', `${strategy}.md`)
  writeFileSync(page, withPicture(readFileSync(page, 'utf8'), { strategy, ...words }))
  console.log(words.alt)
}

const adaptive = pictureOfAdaptive(tokens)
writeFileSync(path.join(root, 'docs/images/adaptive.svg'), adaptive.svg)
const adaptivePage = path.join(root, 'docs/adaptive.md')
writeFileSync(adaptivePage, withAdaptivePicture(readFileSync(adaptivePage, 'utf8'), adaptive.alt))
console.log(adaptive.alt)
