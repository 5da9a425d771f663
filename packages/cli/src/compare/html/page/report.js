// Draws the charts of a report, and moves one upright line through all of them.
import { flowChart } from './chart.js'
import { flowLanes, fullLanes, sharedScale } from './chart-scale.js'

const { from, to, step, every, charts } = JSON.parse(document.getElementById('data').textContent)
const gutter = 44
const height = 150
const number = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })
const oneDay = dayOf(from) === dayOf(to)
const rows = document.getElementById('rows')

const drawings = charts.map(({ limit, inWindow, admitted, refused }) => ({
  limit,
  hasWindow: inWindow !== null,
  data: {
    xs: admitted.map((_, place) => from + place * step),
    inWindow: inWindow ?? admitted,
    admitted,
    refused,
  },
}))
const scale = sharedScale(
  drawings.map(({ limit, hasWindow, data }) => ({ limit: hasWindow ? limit : null, data })),
)
const common = { from, to, step, every, height, gutter, shade: 'none', ...scale }

const plots = drawings.map(({ limit, hasWindow, data }, place) => {
  const spec = { ...common, limit, lanes: hasWindow ? fullLanes : flowLanes }
  return flowChart(document.querySelector(`[data-chart="${place}"]`), spec, data)
})

let pointed = null

/** Moves the line to a step, or takes it away for null. */
function point(place) {
  pointed = place
  const second = place === null ? null : from + place * step
  for (const plot of plots) plot.point(second)
  for (const at of document.querySelectorAll('[data-at]')) {
    at.textContent = place === null ? '' : wordsAt(drawings[Number(at.dataset.at)], place)
  }
}

function wordsAt({ hasWindow, data }, place) {
  const inWindow = hasWindow ? `, ${number.format(data.inWindow[place])} in the window` : ''
  const rates = `${number.format(data.admitted[place])}/s, ${number.format(data.refused[place])}/s refused`
  return `${timeOf(from + place * step)}: ${rates}${inWindow}`
}

function timeOf(second) {
  return new Date(second * 1000)
    .toISOString()
    .slice(oneDay ? 11 : 0, 19)
    .replace('T', ' ')
}

function dayOf(second) {
  return Math.floor(second / 86_400)
}

const last = (drawings[0]?.data.xs.length ?? 0) - 1
const within = (place) => Math.min(Math.max(place, 0), last)

rows.addEventListener('pointermove', (event) => {
  const chart = event.target.closest('.chart')
  if (chart === null || last < 0) return
  const { left, width } = chart.getBoundingClientRect()
  const part = (event.clientX - left - gutter) / (width - gutter)
  point(within(Math.floor((part * (to - from)) / step)))
})
rows.addEventListener('pointerleave', () => point(null))
rows.addEventListener('blur', () => point(null))

const moves = { ArrowLeft: -1, ArrowRight: 1, PageUp: -20, PageDown: 20 }

rows.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') point(null)
  if (moves[event.key] === undefined || last < 0) return
  event.preventDefault()
  point(within(pointed === null ? last : pointed + moves[event.key]))
})
