import { sendCrowd } from './crowd.js'
import { setText } from './text.js'
import { count, crowdDone, crowdPlan, crowdSoFar, crowdWaits } from './wording.js'

const showEveryMs = 1000
const sayEveryMs = 5000

/** The crowd's part of the booth. Returns a function that takes the list of attractions. */
export function createCrowdForm({ form, ask, byId = (id) => document.getElementById(id) }) {
  const { visitors, seconds, to } = form.elements
  const button = form.querySelector('button')
  const progress = byId('crowd-run').querySelector('progress')
  let stop = null
  /** It was asked for before the attractions were known. */
  let wanted = false

  const attractions = () => Array.from(to.options, (option) => option.value).filter((id) => id !== '')
  const plan = () =>
    setText(byId('crowd-line'), crowdPlan(visitors.valueAsNumber || 0, seconds.valueAsNumber || 0))

  function show({ elapsedMs, asked, admitted, refused }) {
    const elapsed = Math.floor(elapsedMs / 1000)
    progress.value = elapsed
    setText(byId('crowd-time'), `${elapsed} of ${seconds.value} s`)
    setText(byId('crowd-asked'), count(asked))
    setText(byId('crowd-admitted'), count(admitted))
    setText(byId('crowd-refused'), count(refused))
  }

  function turn(running) {
    button.textContent = running ? 'Stop the crowd' : 'Send a crowd'
    button.classList.toggle('primary', !running)
    // A field that is disabled loses the focus to nowhere.
    if (form.contains(document.activeElement)) button.focus()
    for (const field of [visitors, seconds, to]) field.disabled = running
    byId('crowd-line').hidden = running
    byId('crowd-run').hidden = !running
  }

  function want(it) {
    wanted = it
    plan()
    if (it) setText(byId('crowd-line'), crowdWaits)
  }

  async function run() {
    const stopping = new AbortController()
    stop = () => stopping.abort()
    let shownMs = -showEveryMs
    let saidMs = 0
    progress.max = seconds.valueAsNumber
    plan()
    turn(true)
    const totals = await sendCrowd({
      visitors: visitors.valueAsNumber,
      seconds: seconds.valueAsNumber,
      attractions: to.value === '' ? attractions() : [to.value],
      ask,
      signal: stopping.signal,
      report(soFar) {
        if (soFar.elapsedMs - shownMs >= showEveryMs) {
          shownMs = showEveryMs * Math.floor(soFar.elapsedMs / showEveryMs)
          show(soFar)
        }
        if (soFar.elapsedMs - saidMs >= sayEveryMs) {
          saidMs = soFar.elapsedMs
          setText(byId('crowd-said'), crowdSoFar(soFar))
        }
      },
    })
    stop = null
    turn(false)
    setText(byId('crowd-line'), crowdDone(totals))
    setText(byId('crowd-said'), crowdDone(totals))
  }

  form.addEventListener('input', plan)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (stop) stop()
    else if (attractions().length > 0) void run()
    else want(!wanted)
  })
  plan()

  return function offer(list) {
    const chosen = to.value
    const known = attractions()
    if (list.length === known.length && list.every(({ id }, i) => id === known[i])) return
    to.replaceChildren(to.options[0], ...list.map(({ id, name }) => new Option(name, id)))
    to.value = list.some(({ id }) => id === chosen) ? chosen : ''
    if (!wanted || list.length === 0) return
    wanted = false
    void run()
  }
}
