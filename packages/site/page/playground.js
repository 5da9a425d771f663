// The playground: what is chosen makes a scene, the scene is simulated, and the result is shown.
import { arrivalsOfDrawn } from '../src/playground/drawn.ts'
import { examples } from '../src/playground/examples.ts'
import { arrivalsOfPasted } from '../src/playground/pasted.ts'
import { dataOf, isInFlight, mayWait } from '../src/playground/policy.ts'
import { firstScene, hashOf, mostPolicies, sceneOf } from '../src/playground/scene.ts'
import { simulate } from '../src/playground/simulate.ts'
import { recolor } from './chart-colors.js'
import { startCode } from './code.js'
import { startComparison } from './comparison.js'
import { startCursor } from './cursor-line.js'
import { startDecisions } from './decisions.js'
import { byId, setText } from './dom.js'
import { PolicyRow } from './policy-row.js'
import { loadSample } from './sample.js'
import { summaryOf } from './summary.js'
import { startTraffic } from './traffic.js'

let scene = sceneOf(location.hash)
const rows = []
let turn = 0

const traffic = startTraffic((changed) => change({ traffic: changed }))
const comparison = startComparison()
const code = startCode()
const decisions = startDecisions()
const cursor = startCursor(byId('rows'), () => rows)

/** Begins with another scene. */
function open(next) {
  change(next)
  fillTimes()
}

function fillTimes() {
  byId('hold').value = scene.holdMs / 1000
  byId('wait').value = scene.maxWaitMs / 1000
}

/** Takes over what was changed, and shows it. */
function change(part) {
  scene = { ...scene, ...part }
  const hash = hashOf(scene)
  if (hash !== location.hash.slice(1)) location.replace(`#${hash}`)
  void show()
}

async function show() {
  const mine = ++turn
  fitRows()
  byId('wait-field').hidden = !scene.policies.some(mayWait)
  byId('hold-field').hidden = !scene.policies.some(({ strategy }) => isInFlight(strategy))
  const asked = await trafficNow()
  if (mine !== turn || asked === null) return
  const results = await Promise.all(scene.policies.map((policy) => runOf(policy, asked)))
  if (mine !== turn) return
  const shown = rows.map((row, i) => ({ row, name: nameOf(i), ...results[i] }))
  PolicyRow.showAll(shown, asked)
  cursor.show(asked.axis)
  const good = shown.filter(({ run }) => run !== undefined)
  setText(byId('summary'), summaryOf(good, asked))
  comparison.show(good)
  code.show(
    scene.policies.map((policy, i) => ({ policy, name: nameOf(i) })),
    scene.maxWaitMs,
  )
  decisions.show(good, asked)
}

/** null: there is none, and the page says why. */
async function trafficNow() {
  try {
    const { kind } = scene.traffic
    const asked =
      kind === 'drawn'
        ? arrivalsOfDrawn(scene.traffic)
        : kind === 'pasted'
          ? arrivalsOfPasted(scene.traffic)
          : await loadSample()
    traffic.show(scene.traffic, asked)
    return asked
  } catch (error) {
    traffic.fail(scene.traffic, error.message)
    return null
  }
}

async function runOf(policy, asked) {
  try {
    return { run: await simulate(dataOf(policy), asked, scene) }
  } catch (error) {
    return { problem: error.message }
  }
}

/** "gcra", or "gcra (2)" where that is the second one. */
function nameOf(place) {
  const names = scene.policies.map(({ strategy }) => strategy)
  const before = names.slice(0, place).filter((name) => name === names[place]).length
  return before === 0 ? names[place] : `${names[place]} (${before + 1})`
}

/** One row for each policy. */
function fitRows() {
  while (rows.length > scene.policies.length) rows.pop().remove()
  while (rows.length < scene.policies.length) rows.push(newRow())
  rows.forEach((row, i) => {
    row.fill(scene.policies[i], { name: nameOf(i), isOnly: rows.length === 1 })
  })
  byId('add').disabled = rows.length >= mostPolicies
}

function newRow() {
  const row = new PolicyRow(byId('rows'), {
    changed: (policy) =>
      change({ policies: scene.policies.map((old, i) => (rows[i] === row ? policy : old)) }),
    removed: () => {
      const at = rows.indexOf(row)
      rows.splice(at, 1)
      row.remove()
      change({ policies: scene.policies.filter((_, i) => i !== at) })
      rows[Math.min(at, rows.length - 1)].focus()
    },
  })
  return row
}

byId('add').addEventListener('click', () => {
  const taken = scene.policies.map(({ strategy }) => strategy)
  const next = ['gcra', 'slidingWindowCounter', 'tokenBucket', 'fixedWindow'].find(
    (name) => !taken.includes(name),
  )
  change({ policies: [...scene.policies, PolicyRow.like(scene.policies.at(-1), next ?? 'gcra')] })
  rows.at(-1).focus()
})
for (const name of Object.keys(examples)) byId('example').append(new Option(name))
byId('example').addEventListener('change', ({ target }) => {
  const example = examples[target.value]
  target.selectedIndex = 0
  open(example)
})
fillTimes()
byId('wait').addEventListener('input', ({ target }) => {
  const maxWaitMs = Math.round(Number(target.value) * 1000)
  change({ maxWaitMs: Math.max(0, maxWaitMs) })
})
byId('hold').addEventListener('input', ({ target }) => {
  const holdMs = Math.round(Number(target.value) * 1000)
  change({ holdMs: holdMs > 0 ? holdMs : firstScene.holdMs })
})
byId('copy-link').addEventListener('click', async () => {
  location.replace(`#${hashOf(scene)}`)
  try {
    await navigator.clipboard.writeText(location.href)
    setText(byId('link-status'), 'Copied: whoever opens it sees this.')
  } catch {
    setText(byId('link-status'), 'The address of this page is the link: it could not be copied.')
  }
})
document.addEventListener('themechange', recolor)
addEventListener('hashchange', () => {
  if (location.hash.slice(1) === hashOf(scene)) return
  open(sceneOf(location.hash))
})

void show()
