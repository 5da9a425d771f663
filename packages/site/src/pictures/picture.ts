import { arrivalsOfDrawn } from '../playground/drawn.ts'
import { type Lanes, lanesOf } from '../playground/lanes.ts'
import { dataOf } from '../playground/policy.ts'
import { type Run, simulate } from '../playground/simulate.ts'
import { sceneOfPicture } from './scenes.ts'

/** A strategy's picture. */
export interface Picture {
  readonly svg: string
  /** The same in words. */
  readonly alt: string
  /** What its parts mean. */
  readonly explained: string
}

const [width, gutter, right] = [720, 44, 16]
/** From above: the window against the limit, admitted requests, refused ones, times. */
const lanes = { window: [16, 84], up: [100, 148], down: [148, 196], times: 214, height: 226 } as const

/** Decides the picture's requests by the library itself. `tokens`: the text of tokens.css, whose colours it has. */
export async function pictureOfStrategy(strategy: string, tokens: string): Promise<Picture> {
  const { traffic, policies, holdMs } = sceneOfPicture(strategy)
  const [policy] = policies
  if (traffic.kind !== 'drawn' || policy === undefined)
    throw new Error(`${strategy}: its picture is not drawn.`)
  const asked = arrivalsOfDrawn(traffic)
  const run = await simulate(dataOf(policy), asked, { holdMs })
  const shown = lanesOf(asked, run)
  const alt = altOf(run, shown, asked.arrivals.length)
  return {
    alt,
    explained: explanationOf(run, holdMs),
    svg: svgOf(run, shown, { alt, tokens, most: Math.max(...traffic.columns) }),
  }
}

function altOf(
  { picture: { title, rule, shape, windowUs, most } }: Run,
  shown: Lanes,
  requests: number,
): string {
  const admitted = shown.admitted.reduce((sum, value) => sum + value, 0)
  const span = shape === 'in-flight' ? 'in flight at once' : `in ${windowUs / 1e6} seconds`
  const bound = most === null ? '' : `; the dashed line is at ${most}`
  return `${title}, ${rule}: of ${requests} requests in 40 seconds ${admitted} are admitted, at most ${shown.most} ${span}${bound}`
}

function explanationOf({ picture: { shape, windowUs } }: Run, holdMs: number): string {
  const bars = 'Blue bars were admitted in a second, orange ones refused.'
  const span = `${windowUs / 1e6} seconds`
  if (shape === 'in-flight')
    return `${bars}\nEach request takes ${holdMs / 1000} s; the line above shows how many are in flight, and the dashed line is the limit.`
  const bound =
    shape === 'none'
      ? 'nothing below the dashed line, its limit, is refused'
      : 'the dashed line is the limit of one window'
  return `${bars}\nThe line adds up what was admitted within ${span}; ${bound}.`
}

interface Drawing {
  readonly alt: string
  readonly tokens: string
  /** The highest column of the traffic: one scale for all pictures. */
  readonly most: number
}

function svgOf({ picture }: Run, shown: Lanes, { alt, tokens, most }: Drawing): string {
  const { admitted, refused, inWindow } = shown
  const limit = picture.most ?? 0
  const top = Math.max(limit * 2, ...inWindow) * 1.04
  const step = (width - gutter - right) / admitted.length
  const x = (bucket: number): number => rounded(gutter + bucket * step)
  const yOf = ([above, below]: readonly [number, number], part: number): number =>
    rounded(below - (below - above) * part)
  const windowY = (value: number): number => yOf(lanes.window, value / top)
  const line = inWindow.map(
    (value, i) => `${i === 0 ? 'M' : 'V'}${i === 0 ? `${x(0)} ` : ''}${windowY(value)}H${x(i + 1)}`,
  )
  const bars = (values: readonly number[], kind: 'admitted' | 'refused'): string =>
    values
      .flatMap((value, i) => {
        const height = rounded(((lanes.up[1] - lanes.up[0]) * value) / most)
        const y = kind === 'admitted' ? lanes.up[1] - height : lanes.down[0]
        return value === 0
          ? []
          : `<rect class="${kind}" x="${rounded(x(i) + step * 0.07)}" y="${rounded(y)}" width="${rounded(step * 0.86)}" height="${height}"/>`
      })
      .join('')
  const label = (text: string | number, y: number, strong = ''): string =>
    `<text${strong} x="${gutter - 7}" y="${rounded(y + 4)}" text-anchor="end">${text}</text>`
  const seconds = [0, 10, 20, 30, 40]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${lanes.height}" role="img" aria-label="${alt}">
<style>
${styleOf(tokens)}</style>
<rect class="paper" width="${width}" height="${lanes.height}" rx="8"/>
${seconds.map((second) => `<path class="grid" d="M${x(second)} ${lanes.window[0]}V${lanes.down[1]}"/><text x="${x(second)}" y="${lanes.times}" text-anchor="middle">${second} s</text>`).join('')}
<path class="wash" d="${line.join('')}V${lanes.window[1]}H${gutter}Z"/><path class="line" d="${line.join('')}"/>
<path class="limit" d="M${gutter} ${windowY(limit)}H${width - right}"/>${label(limit, windowY(limit), ' class="strong"')}
${bars(admitted, 'admitted')}${bars(refused, 'refused')}
<path class="base" d="M${gutter} ${lanes.up[1]}H${width - right}"/>${label(most, lanes.up[0])}${label(0, lanes.up[1])}${label(most, lanes.down[1])}
</svg>
`
}

const classes: readonly (readonly [name: string, property: string, token: string])[] = [
  ['paper', 'fill', '--surface'],
  ['strong', 'fill', '--ink'],
  ['admitted', 'fill', '--admitted-mark'],
  ['refused', 'fill', '--refused-mark'],
  ['wash', 'fill', '--admitted-wash'],
  ['line', 'stroke', '--admitted-mark'],
  ['limit', 'stroke', '--limit'],
  ['grid', 'stroke', '--grid'],
  ['base', 'stroke', '--line-2'],
]

/** Light colours, and dark ones where the reader has them. */
function styleOf(tokens: string): string {
  const [light = '', dark = ''] = tokens.split('@media (prefers-color-scheme: dark)')
  const rules = (from: string): string =>
    classes.map(([name, property, token]) => `.${name} { ${property}: ${colorIn(from, token)} }\n`).join('')
  const text = (from: string): string => `text { fill: ${colorIn(from, '--ink-3')} }\n`
  return `text { font: 11px system-ui, sans-serif }
.strong { font-weight: 600 }
.line, .limit, .grid, .base { fill: none }
.line { stroke-width: 1.5 }
.limit { stroke-dasharray: 4 3 }
${text(light)}${rules(light)}@media (prefers-color-scheme: dark) {
${text(dark)}${rules(dark)}}
`
}

export function colorIn(text: string, token: string): string {
  const [, color] = new RegExp(`${token}: (#\\w+);`).exec(text) ?? []
  if (color === undefined) throw new Error(`tokens.css has no ${token}.`)
  return color
}

export function rounded(value: number): number {
  return Math.round(value * 10) / 10
}
