// A policy: its form, its charts, its numbers.
import { pictures } from '@sluice/core/internal'
import { clientsOf } from '../src/playground/clients.ts'
import { edgesOf, lanesOf } from '../src/playground/lanes.ts'
import { fieldsOf, numbersOf, strategyNames, writtenAs } from '../src/playground/policy.ts'
import { flowChart } from './chart.js'
import { fullLanes, sharedScale } from './chart-scale.js'
import { showClients, waitWords } from './clients.js'
import { copyOf, setAttribute, setText } from './dom.js'
import { leftChart } from './left-chart.js'
import { count, share } from './numbers.js'
import { everySeconds, gutter } from './time-axis.js'

let ids = 0

export class PolicyRow {
  #node = copyOf('row')
  #id = `policy-${++ids}`
  #form = this.#node.querySelector('form')
  #strategy = this.#form.elements.strategy
  #fields = new Map()
  #written
  #flow
  #left
  #shown

  constructor(parent, { changed, removed }) {
    for (const name of strategyNames) this.#strategy.append(new Option(name))
    this.#strategy.addEventListener('change', () =>
      changed(PolicyRow.like(this.#written, this.#strategy.value)),
    )
    this.#form.addEventListener('input', ({ target }) => {
      if (target === this.#strategy) return
      changed({ ...this.#written, fields: { ...this.#written.fields, [target.name]: target.value } })
    })
    this.#form.addEventListener('submit', (event) => event.preventDefault())
    this.#form.elements.remove.addEventListener('click', removed)
    this.#part('.problem').id = `${this.#id}-problem`
    this.#part('h3').id = `${this.#id}-name`
    setAttribute(this.#node, 'aria-labelledby', `${this.#id}-name`)
    parent.append(this.#node)
  }

  /** Another strategy with the numbers of a policy. */
  static like(written, strategy) {
    return writtenAs(strategy, numbersOf(written))
  }

  /** Draws all rows on one scale. */
  static showAll(shown, asked) {
    const { fromUs, stepUs, buckets } = asked.axis
    const step = stepUs / 1e6
    const results = shown.map(
      ({ run }) => run && { run, lanes: lanesOf(asked, run), edges: edgesOf(asked, run) },
    )
    const charts = results.flatMap(
      (result) => result && [{ limit: result.run.picture.most, data: result.lanes }],
    )
    const common = {
      from: 0,
      to: buckets * step,
      step,
      fromUs,
      every: everySeconds(buckets * step),
      ...sharedScale(charts.filter((chart) => chart !== undefined)),
    }
    shown.forEach(({ row, problem }, i) => {
      row.#show(results[i], { problem, common, asked })
    })
  }

  fill(written, { name, isOnly }) {
    this.#written = written
    setText(this.#part('h3'), name)
    this.#form.elements.remove.hidden = isOnly
    setAttribute(this.#form.elements.remove, 'aria-label', `Remove ${name}`)
    this.#strategy.value = written.strategy
    if (this.#node.dataset.strategy !== written.strategy) this.#makeFields(written.strategy)
    // Options that are given are seen.
    if (fieldsOf(written.strategy).some(({ name, isMain }) => !isMain && written.fields[name]))
      this.#part('.more-fields').open = true
    for (const [field, input] of this.#fields) {
      const text = written.fields[field] ?? ''
      if (input.value !== text) input.value = text
    }
  }

  focus() {
    this.#strategy.focus()
  }

  remove() {
    this.#flow?.destroy()
    this.#left?.destroy()
    this.#node.remove()
  }

  /** Moves the upright line, and says the numbers of that bucket; null: those of the whole. */
  point(bucket) {
    if (this.#shown === undefined) return
    const { run, lanes, common } = this.#shown
    this.#flow.point(bucket === null ? null : (bucket + 0.5) * common.step)
    if (bucket === null) return this.#sayAll()
    this.#say('admitted', count(lanes.admitted[bucket]))
    this.#say('refused', count(lanes.refused[bucket]))
    this.#say('most', `${count(lanes.inWindow[bucket])}${limitWords(run)}`)
    this.#say('left', run.left === null ? '–' : count(run.left[bucket]))
  }

  #show(result, { problem, common, asked }) {
    setText(this.#part('.problem'), problem ?? '')
    for (const input of this.#fields.values()) {
      setAttribute(input, 'aria-invalid', problem?.startsWith(input.name) === true)
    }
    this.#node.classList.toggle('failed', result === undefined)
    if (result === undefined) return
    const { run, lanes, edges } = result
    const { most, shape, windowUs, windowsUs = [] } = run.picture
    this.#shown = { run, lanes, common }
    showClients(this.#part('.clients'), clientsOf(asked, run), run)
    this.#part('[data-number=wait]').parentElement.hidden = !run.waits
    const span = shape === 'in-flight' ? 'flight' : pictures.spanWords(windowUs)
    setText(this.#part('[data-word=most]'), `Most in ${span}`)
    setText(this.#part('[data-word=window]'), `in ${span}`)
    const several = run.left === null
    const spec = {
      ...common,
      height: 150,
      unit: '',
      gutter,
      lanes: fullLanes,
      limit: most,
      shade: several || shape === 'in-flight' ? 'none' : shape,
      windowSeconds: windowUs / 1e6,
      windowsSeconds: windowsUs.map((us) => us / 1e6),
      edges,
    }
    if (this.#flow === undefined) {
      this.#flow = flowChart(this.#part('.flow'), spec, dataOf(lanes, common))
      this.#left = leftChart(this.#part('.left'), { gutter })
    } else this.#flow.update(spec, dataOf(lanes, common))
    this.#part('.left').hidden = several
    if (!several) this.#left.update({ ...common, left: run.left, limit: run.left[0] ?? 1 })
    this.#sayAll()
    const { admitted, refused } = totals(run)
    setAttribute(
      this.#part('.charts'),
      'aria-label',
      `${this.#part('h3').textContent}, ${run.picture.rule}: ${count(admitted)} of ${count(asked.arrivals.length)} requests admitted, ${count(refused)} refused; at most ${count(lanes.most)}${limitWords(run)} at a time. The table below has every decision.`,
    )
  }

  #sayAll() {
    const { run, lanes } = this.#shown
    const { admitted, refused, longestWaitMs } = totals(run)
    this.#say('wait', waitWords(longestWaitMs))
    this.#say('admitted', count(admitted))
    this.#say('refused', count(refused), `${share(refused, admitted + refused)} %`)
    this.#say('most', count(lanes.most), limitWords(run))
    this.#say('left', run.left === null ? '–' : count(run.left.at(-1)))
  }

  #say(number, figure, unit = '') {
    const node = this.#part(`[data-number=${number}]`)
    const small = document.createElement('small')
    small.textContent = unit
    node.replaceChildren(figure, ' ', small)
  }

  #makeFields(strategy) {
    this.#node.dataset.strategy = strategy
    this.#fields.clear()
    const [main, more] = [this.#part('.main-fields'), this.#part('.more-fields .fields')]
    main.replaceChildren()
    more.replaceChildren()
    for (const field of fieldsOf(strategy)) {
      const label = document.createElement('label')
      label.className = field.kind === 'windows' ? 'field wide' : 'field'
      label.title = field.about
      const input = inputOf(field)
      setAttribute(input, 'aria-describedby', `${this.#id}-problem`)
      label.append(field.name, ' ', input)
      ;(field.isMain ? main : more).append(label)
      this.#fields.set(field.name, input)
    }
    this.#part('.more-fields').hidden = more.children.length === 0
  }

  #part(selector) {
    return this.#node.querySelector(selector)
  }
}

function inputOf({ name, choices, otherwise, kind }) {
  const input = document.createElement(choices.length > 0 ? 'select' : 'input')
  input.name = name
  if (choices.length > 0)
    input.append(new Option(`(${otherwise})`, ''), ...choices.map((each) => new Option(each)))
  else Object.assign(input, { placeholder: otherwise, autocomplete: 'off', spellcheck: false })
  if (kind === 'count') input.inputMode = 'numeric'
  return input
}

function dataOf({ admitted, refused, inWindow }, { step }) {
  return { xs: admitted.map((_, i) => i * step), inWindow, admitted, refused }
}

/** Of the whole, also what is admitted behind the end of the axis. */
function totals({ answers }) {
  const admitted = answers.filter(({ allowed }) => allowed).length
  const longestWaitMs = answers.reduce((longest, { waitMs }) => Math.max(longest, waitMs), 0)
  return { admitted, refused: answers.length - admitted, longestWaitMs }
}

function limitWords({ picture: { most } }) {
  return most === null ? '' : ` of ${count(most)}`
}
