import { adaptiveLimit } from '@sluice/adaptive'
import { FixedLimit, goodIn, type SimulatedRun, scenarios, simulate } from '@sluice/adaptive/simulation'
import { colorIn, rounded } from './picture.ts'

const scenarioName = 'overload and slow dependency'
const goalMs = 250
/** Right while the service is as quick as usual: a request then waits for 100 ms. */
const fixedPlaces = 100

const [width, height, gutter, right] = [720, 250, 44, 16]
const lanes = { limit: [30, 96], good: [136, 214] } as const

/** An adaptive limit against a fixed one, in a simulation. `tokens`: the text of tokens.css, whose colours it has. */
export function pictureOfAdaptive(tokens: string): { readonly svg: string; readonly alt: string } {
  const scenario = scenarios.find(({ name }) => name === scenarioName)
  if (scenario === undefined) throw new Error(`There is no scenario "${scenarioName}".`)
  const adaptive = simulate(scenario, (clock) => adaptiveLimit({ clock }), { goalMs })
  const fixed = simulate(scenario, () => new FixedLimit(fixedPlaces), { goalMs })
  const slow = [30, 60] as const
  const alt = `1500 requests a second come to a service of 20 workers, which from second ${slow[0]} to ${slow[1]} take 100 ms instead of 20 ms: in that time ${goodIn(adaptive, ...slow)} are answered within ${goalMs} ms under an adaptive limit, and ${goodIn(fixed, ...slow)} under a fixed limit of ${fixedPlaces}`
  return { alt, svg: svgOf({ adaptive, fixed, alt, tokens }) }
}

function svgOf(about: { adaptive: SimulatedRun; fixed: SimulatedRun; alt: string; tokens: string }): string {
  const { adaptive, fixed, alt, tokens } = about
  const step = (width - gutter - right) / adaptive.seconds.length
  const x = (second: number): number => rounded(gutter + second * step)
  const most = { limit: fixedPlaces * 1.1, good: 1200 }
  const y = (lane: 'limit' | 'good', value: number): number => {
    const [above, below] = lanes[lane]
    return rounded(below - ((below - above) * value) / most[lane])
  }
  const line = ({ seconds }: SimulatedRun, lane: 'limit' | 'good'): string =>
    seconds.map((each, at) => `${at === 0 ? 'M' : 'L'}${x(at + 0.5)} ${y(lane, each[lane])}`).join('')
  const number = (lane: 'limit' | 'good', value: number): string =>
    `<text x="${gutter - 7}" y="${rounded(y(lane, value) + 4)}" text-anchor="end">${value}</text>`
  const seconds = [0, 30, 60, 90]
  const title = (text: string, above: number): string =>
    `<text class="strong" x="${gutter}" y="${above - 10}">${text}</text>`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${alt}">
<style>
${styleOf(tokens)}</style>
<rect class="paper" width="${width}" height="${height}" rx="8"/>
<rect class="slow" x="${x(30)}" y="${lanes.limit[0]}" width="${rounded(step * 30)}" height="${lanes.good[1] - lanes.limit[0]}"/>
${seconds.map((second) => `<path class="grid" d="M${x(second)} ${lanes.limit[0]}V${lanes.good[1]}"/><text x="${x(second)}" y="${height - 16}" text-anchor="middle">${second} s</text>`).join('')}
${title('places', lanes.limit[0])}${title(`answers within ${goalMs} ms, in a second`, lanes.good[0])}
<text x="${x(45)}" y="${lanes.limit[0] - 10}" text-anchor="middle">the dependency takes five times as long</text>
${number('limit', 0)}${number('limit', fixedPlaces)}${number('good', 0)}${number('good', 1000)}
<path class="fixed" d="${line(fixed, 'limit')}"/><path class="adaptive" d="${line(adaptive, 'limit')}"/>
<path class="fixed" d="${line(fixed, 'good')}"/><path class="adaptive" d="${line(adaptive, 'good')}"/>
<path class="base" d="M${gutter} ${lanes.limit[1]}H${width - right}M${gutter} ${lanes.good[1]}H${width - right}"/>
</svg>
`
}

const classes: readonly (readonly [name: string, property: string, token: string])[] = [
  ['paper', 'fill', '--surface'],
  ['slow', 'fill', '--sunken'],
  ['strong', 'fill', '--ink'],
  ['adaptive', 'stroke', '--admitted-mark'],
  ['fixed', 'stroke', '--limit'],
  ['grid', 'stroke', '--grid'],
  ['base', 'stroke', '--line-2'],
]

/** Light colours, and dark ones where the reader has them. */
function styleOf(tokens: string): string {
  const [light = '', dark = ''] = tokens.split('@media (prefers-color-scheme: dark)')
  const rules = (from: string): string =>
    `text { fill: ${colorIn(from, '--ink-3')} }\n${classes.map(([name, property, token]) => `.${name} { ${property}: ${colorIn(from, token)} }\n`).join('')}`
  return `text { font: 11px system-ui, sans-serif }
.strong { font-weight: 600 }
.adaptive, .fixed, .grid, .base { fill: none }
.adaptive, .fixed { stroke-width: 1.5 }
.fixed { stroke-dasharray: 4 3 }
${rules(light)}@media (prefers-color-scheme: dark) {
${rules(dark)}}
`
}

/** The page with the picture in place: where its image stands. */
export function withAdaptivePicture(text: string, alt: string): string {
  const image = /!\[[^\]]*\]\(images\/adaptive\.svg\)/
  if (!image.test(text)) throw new Error('docs/adaptive.md has no place for images/adaptive.svg.')
  return text.replace(image, () => `![${alt}](images/adaptive.svg)`)
}
