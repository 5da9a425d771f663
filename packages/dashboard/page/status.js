// Whether the page is live: the bar says it, and what is old turns grey.
import { byId, setText } from './dom.js'
import { lostWords, pausedWords } from './words.js'

const [mark, said, counted] = ['.dot', '.said', '.counted'].map((part) => byId('status').querySelector(part))

export function showLive() {
  show('dot live pulse', ['Live'])
}

export function showPaused(lastSeconds) {
  show('dot', [pausedWords(lastSeconds)])
}

/** `lastSeconds`: when the server was last heard, on its clock; null for never. */
export function showLost(lastSeconds, retryInMs) {
  show('dot away', lostWords(lastSeconds, retryInMs), { stale: lastSeconds !== null })
}

function show(markClass, [aloud, silent = ''], { stale = false } = {}) {
  if (mark.className !== markClass) mark.className = markClass
  setText(said, aloud)
  setText(counted, silent)
  document.body.classList.toggle('stale', stale)
}
