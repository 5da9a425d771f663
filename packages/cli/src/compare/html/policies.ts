import { pictures } from '@sluice/core/internal'
import type { Comparison, Result } from '../comparison.ts'
import { count, counted, keyWord, share, time } from '../words.ts'
import { html, type Markup } from './markup.ts'
import type { TimeAxis } from './time-axis.ts'

/** One row per policy; all charts share one time axis. */
export function policiesOf({ input, results }: Comparison, axis: TimeAxis): Markup {
  return html`<section aria-labelledby="policies">
<div class="panel-head"><h2 id="policies">Policies</h2>${legend}</div>
<div class="rows" id="rows" tabindex="0" role="group" aria-label="Charts. Arrow keys move through time, Escape ends that.">
${ticksOf(axis)}
<ol>${results.map((result, place) => rowOf(result, place, input.clients))}</ol>
</div></section>`
}

function rowOf(result: Result, place: number, clients: number): Markup {
  return html`<li class="row">
<div class="name"><h3>${result.text}</h3><p>${result.title}</p><p>${result.rule}</p><p>counts by ${keyWord(result.keyedBy)}</p></div>
<div class="chart" role="img" aria-label="${sentenceOf(result)}" data-chart="${place}"></div>
<div class="numbers"><p class="at" data-at="${place}"></p>
<dl>
${number('Admitted', count(result.admitted), '')}
${number('Refused', count(result.refused), share(result.refusedShare))}
${number('Clients refused', count(result.clientsRefused), `of ${count(clients)}`)}
${number('Busiest second', count(result.worstSecond.count), secondOf(result))}
${windowOf(result)}
</dl></div></li>`
}

function number(label: string, value: string, note: string | Markup): Markup {
  return html`<div><dt>${label}</dt><dd><b>${value}</b> <span>${note}</span></dd></div>`
}

function secondOf({ worstSecond }: Result): string {
  return worstSecond.count === 0 ? 'admitted' : `admitted, at ${time(worstSecond.atMs)}`
}

function windowOf({ worstWindow }: Result): Markup | null {
  if (worstWindow === null || worstWindow.count === 0) return null
  const { most, key, windowMs, atMs, atLeast } = worstWindow
  const of = most === null ? '' : `of ${count(most)} `
  const note = html`${of}in ${pictures.spanWords(windowMs * 1000)}, by <bdi>${key}</bdi> at ${time(atMs)}`
  return number('Fullest window', `${atLeast ? 'at least ' : ''}${count(worstWindow.count)}`, note)
}

function sentenceOf({ text, admitted, refused, worstWindow }: Result): string {
  const sentence = `${text}: ${count(admitted)} admitted, ${count(refused)} refused`
  if (worstWindow === null) return `${sentence}.`
  const most = worstWindow.most === null ? '' : ` of ${count(worstWindow.most)}`
  return `${sentence}, at most ${counted(worstWindow.count, 'unit')}${most} in one window.`
}

/** An SVG because its positions are attributes: the page's policy forbids inline styles. */
function ticksOf({ fromMs, toMs, ticks }: TimeAxis): Markup {
  const labels = ticks.map(({ ms, label }) => {
    const part = (ms - fromMs) / (toMs - fromMs)
    const anchor = part < 0.04 ? 'start' : part > 0.96 ? 'end' : 'middle'
    return html`<text x="${(part * 100).toFixed(2)}%" y="12" text-anchor="${anchor}">${label}</text>`
  })
  return html`<div class="axis"><p>Time, in UTC</p><svg aria-hidden="true" width="100%" height="16">${labels}</svg></div>`
}

const legend = html`<ul class="legend">
<li><svg aria-hidden="true"><path class="k-wash" d="M0 12V5h9V2h9v10z"/><path class="k-line" d="M0 5h9V2h9"/></svg>fullest window of one key</li>
<li><svg aria-hidden="true"><path class="k-limit" d="M0 6h18"/></svg>limit</li>
<li><svg aria-hidden="true"><path class="k-up" d="M2 5h3v7H2zM7 2h3v10H7zM12 6h3v6h-3z"/></svg>admitted per second</li>
<li><svg aria-hidden="true"><path class="k-down" d="M2 0h3v7H2zM7 0h3v10H7zM12 0h3v6h-3z"/></svg>refused per second</li>
</ul>`
