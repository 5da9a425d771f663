// Blocks, unblocks or resets the key in the dialog, once the page has named it again.
import { byId, setAttribute, setText } from './dom.js'
import { actionQuestion } from './words.js'

/** Returns `{ allow, stop }`. `shown()` is the key, `run(name, seconds)` acts on it. */
export function offerActions(dialog, { shown, run }) {
  const buttons = [...dialog.querySelectorAll('[data-action]')]
  let asking = null

  function ask(button) {
    if (isOff(button)) return
    asking = button
    const time = byId('block-for')
    const [before, after] = actionQuestion[button.dataset.action](time.selectedOptions[0].textContent)
    const { key, policy } = shown()
    const words = [before, key, policy, after]
    for (const [place, node] of [...byId('question').children].entries()) setText(node, words[place])
    setText(byId('sure'), `${button.textContent} ${key}`)
    turn(true)
    byId('cancel').focus()
  }

  /** The focus returns to the button that has asked. */
  function stop() {
    const button = asking
    asking = null
    turn(false)
    button?.focus()
  }

  async function act() {
    const { action } = asking.dataset
    stop()
    allow(() => false)
    await run(action, Number(byId('block-for').value))
  }

  /** Disabled buttons would lose the focus. */
  function allow(may) {
    for (const button of buttons) setAttribute(button, 'aria-disabled', !may(button.dataset.action))
  }

  for (const button of buttons) button.addEventListener('click', () => ask(button))
  byId('sure').addEventListener('click', () => void act())
  byId('cancel').addEventListener('click', stop)
  return { allow, stop }
}

const isOff = (button) => button.getAttribute('aria-disabled') === 'true'

function turn(asking) {
  byId('acts').hidden = asking
  byId('confirm').hidden = !asking
}
