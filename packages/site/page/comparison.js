// Two policies side by side: which requests both admit, and which only one.
import { compare } from '../src/playground/compare.ts'
import { byId, setText } from './dom.js'
import { count } from './numbers.js'

export function startComparison() {
  let shown = []
  const [first, second] = [byId('first'), byId('second')]
  for (const choice of [first, second]) choice.addEventListener('change', say)

  function say() {
    const [one, other] = [shown[first.selectedIndex], shown[second.selectedIndex]]
    if (one === undefined || other === undefined) return
    const { both, onlyFirst, onlySecond, neither } = compare(one.run.answers, other.run.answers)
    setText(byId('first-name'), `${one.name} admits`)
    setText(byId('first-not'), `${one.name} refuses`)
    setText(byId('second-name'), `${other.name} admits`)
    setText(byId('second-not'), `${other.name} refuses`)
    setText(byId('both'), count(both))
    setText(byId('only-first'), count(onlyFirst))
    setText(byId('only-second'), count(onlySecond))
    setText(byId('neither'), count(neither))
  }

  return {
    show(next) {
      shown = next
      byId('compare').hidden = shown.length < 2
      for (const [place, choice] of [first, second].entries()) {
        const chosen = choice.selectedIndex
        choice.replaceChildren(...shown.map(({ name }) => new Option(name)))
        choice.selectedIndex =
          chosen >= 0 && chosen < shown.length ? chosen : Math.min(place, shown.length - 1)
      }
      if (first.selectedIndex === second.selectedIndex && shown.length > 1)
        second.selectedIndex = first.selectedIndex === 0 ? 1 : 0
      say()
    },
  }
}
