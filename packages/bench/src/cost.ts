import { type Added, addedBy } from './believed.ts'
import type { Framework, Limiting } from './http/limits.ts'
import { frameworks, ownLibrary, type Place, places } from './http/sections.ts'
import { sentenceOf } from './machine.ts'
import type { Report } from './report.ts'
import type { Section } from './section.ts'
import { asMarkdown, spreadText } from './table.ts'

const limitings = ['Sluice', 'own', 'rate-limiter-flexible'] as const satisfies readonly Limiting[]

interface Bar extends Added {
  readonly framework: Framework
  readonly place: Place
  readonly library: string
  readonly ours: boolean
}

function barsOf(sections: readonly Section[]): readonly Bar[] {
  return frameworks.flatMap((framework) =>
    places.flatMap((place) =>
      limitings.map((limiting) => {
        const library = limiting === 'own' ? ownLibrary[framework] : limiting
        const added = addedBy(sections, { framework, limiting, place })
        return { framework, place, library, ours: limiting === 'Sluice', ...added }
      }),
    ),
  )
}

/** The longest bar, of what is drawn. */
function mostOf(bars: readonly Bar[]): number {
  return Math.max(...bars.filter(({ measurable }) => measurable).map(({ spread }) => spread.median))
}

const block = '█'
const longest = 24

/** The same figures as text, for those who do not see the picture. */
export function costTable({ machine, sections }: Report): string {
  const bars = barsOf(sections)
  const most = mostOf(bars)
  const rows = bars.map(({ framework, place, library, spread, measurable }) => {
    const length = Math.max(1, Math.round((longest * spread.median) / most))
    const bar = measurable ? block.repeat(length) : 'not measurable'
    return [`${framework}, ${place}`, library, spreadText(spread, 1), bar]
  })
  return [sentenceOf(machine), asMarkdown([['', 'limiter', 'µs', ''], ...rows])].join('\n\n')
}

const size = { left: 190, width: 520, bar: 14, gap: 4, group: 34, right: 60 }

/** One bar for each limiter, by framework and by where it counts. Text takes the colour of the page's own. */
export function costPicture({ machine, sections }: Report): string {
  const bars = barsOf(sections)
  const scale = size.width / mostOf(bars)
  const parts: string[] = []
  let y = 8
  for (const framework of frameworks) {
    for (const place of places) {
      y += size.group - size.bar
      parts.push(`<text class="group" x="0" y="${y}">${framework}, counts in ${place}</text>`)
      y += 8
      for (const bar of bars.filter((each) => each.framework === framework && each.place === place)) {
        parts.push(barAt(y, bar, scale))
        y += size.bar + size.gap
      }
    }
  }
  const width = size.left + size.width + size.right
  const height = y + 28
  const note = `CPU time of Node for one admitted request, over the bare framework, in µs. ${machine.day}, Node ${machine.node}.`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${note}">
<style>
text { font: 12px system-ui, sans-serif; fill: #1f2328 }
.group { font-weight: 600 }
.ours { fill: #1a7f64 }
.other { fill: #8c959f }
.none { font-style: italic }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .ours { fill: #3fb68b }
  .other { fill: #6e7681 }
}
</style>
${parts.join('\n')}
<text x="0" y="${height - 8}">${note}</text>
</svg>
`
}

function barAt(y: number, { library, ours, spread, measurable }: Bar, scale: number): string {
  const baseline = y + size.bar - 3
  const name = `<text x="${size.left - 8}" y="${baseline}" text-anchor="end">${library}</text>`
  if (!measurable) return `${name}<text class="none" x="${size.left}" y="${baseline}">not measurable</text>`
  const width = Math.max(1, spread.median * scale).toFixed(1)
  return [
    name,
    `<rect class="${ours ? 'ours' : 'other'}" x="${size.left}" y="${y}" width="${width}" height="${size.bar}" rx="2"/>`,
    `<text x="${(size.left + Number(width) + 6).toFixed(1)}" y="${baseline}">${spread.median.toFixed(1)}</text>`,
  ].join('')
}
