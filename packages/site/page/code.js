// The program for the user's own framework.
import { frameworks, programOf } from '../src/playground/code.ts'
import { byId, setText } from './dom.js'

export function startCode() {
  let shown = []
  let maxWaitMs = 0
  const [policy, framework, place] = ['code-policy', 'framework', 'place'].map(byId)
  for (const [name, { title }] of Object.entries(frameworks)) framework.append(new Option(title, name))
  for (const choice of [policy, framework, place]) choice.addEventListener('change', say)

  function say() {
    const chosen = shown[policy.selectedIndex]
    if (chosen === undefined) return
    const { install, program } = programOf(chosen.policy, {
      framework: framework.value,
      place: place.value,
      maxWaitMs,
    })
    setText(byId('install'), install)
    setText(byId('program'), program)
  }

  return {
    show(next, waitMs) {
      shown = next
      maxWaitMs = waitMs
      const chosen = policy.selectedIndex
      policy.replaceChildren(...shown.map(({ name }) => new Option(name)))
      policy.selectedIndex = chosen >= 0 && chosen < shown.length ? chosen : 0
      say()
    },
  }
}
