// Shows whether the page is live: in the bar, and by greying out old data.
import { byId, setText } from './dom.js'
import { lostWords, pausedWords, titleWords } from './words.js'

const [mark, said, counted] = ['.dot', '.said', '.counted'].map((part) => byId('status').querySelector(part))

export function showLive() {
  show('dot live pulse', ['Live'])
}

export function showPaused(lastSeconds) {
  show('dot', [pausedWords(lastSeconds)])
}

/** `lastSeconds`: the server's clock at its last message; null if there was none. */
export function showLost(lastSeconds, retryInMs) {
  show('dot away', lostWords(lastSeconds, retryInMs), { stale: lastSeconds !== null })
}

/** What matters most, for whoever has the page in a tab behind others. */
export function showTitle(link, state) {
  const title = titleWords(link, state)
  if (document.title !== title) document.title = title
}

function show(markClass, [aloud, silent = ''], { stale = false } = {}) {
  if (mark.className !== markClass) mark.className = markClass
  setText(said, aloud)
  setText(counted, silent)
  document.body.classList.toggle('stale', stale)
}
