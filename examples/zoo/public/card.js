import { setText } from './text.js'
import { drawTile } from './tiles.js'
import { forgotten, leftOf, noAnswer, ownLimit, placeInLine, refusal, takenOf, whenFree } from './wording.js'

// A ticket's number gives way to "bob may buy again in …" where there is a limit per visitor.
const ticketStandsMs = 4000
// So that "Refused." can be read even where the wait is shorter.
const refusalStandsMs = 3000
// A purchase that failed says nothing about a server that answers again.
const noAnswerStandsMs = 5000

/** One attraction's card, `chart` the place for its chart. `show` takes how it stands, `say` the answer to a purchase, `hush` takes that answer away. */
export function createCard({ id, buy, nowMs = () => performance.now() }) {
  const node = document.querySelector('#card').content.firstElementChild.cloneNode(true)
  const part = (selector) => node.querySelector(selector)
  let own = ''
  let answer = null
  let answeredAtMs = 0

  drawTile(part('.tile'), id)
  part('button').addEventListener('click', buy)

  function show(attraction, visitor) {
    setText(part('h3'), attraction.name)
    setText(part('button span'), ` for ${attraction.name}`)
    setText(part('.strategy'), attraction.strategy)
    setText(part('.rule'), attraction.rule)
    const { number, unit } = leftOf(attraction)
    setText(part('.left strong'), number)
    setText(part('.left .unit'), unit)
    setText(part('.when'), whenFree(attraction))
    part('.when').classList.toggle('out', attraction.againInMs !== null || attraction.left === 0)
    showMeter(part('.meter'), attraction)
    own = attraction.visitor ? ownLimit(visitor, attraction.visitor) : ''
    showAnswer()
  }

  function say(next) {
    answer = next
    answeredAtMs = nowMs()
    return showAnswer()
  }

  function hush() {
    answer = null
    own = ''
    showAnswer()
  }

  /** Returns the sentence. */
  function showAnswer() {
    const line = part('.answer')
    const { refused, text } = sentence(answer, own, nowMs() - answeredAtMs)
    const mark = document.createElement('span')
    mark.className = 'refused'
    mark.textContent = 'Refused.'
    const whole = refused ? `Refused. ${text}`.trim() : text
    if (line.textContent.trim() !== whole) line.replaceChildren(...(refused ? [mark, ` ${text}`] : [text]))
    return whole
  }

  return { node, chart: part('.chart'), show, say, hush }
}

/** The answer line `ageMs` after the answer: the answer while it is true, then what the visitor may do. */
function sentence(answer, own, ageMs) {
  switch (answer?.outcome) {
    case 'bought':
      return { refused: false, text: own && ageMs > ticketStandsMs ? own : `Ticket ${answer.ticket}` }
    case 'refused': {
      const waitMs = answer.waitMs === null ? null : answer.waitMs - ageMs
      if (waitMs !== null && waitMs <= 0 && ageMs > refusalStandsMs) break
      return { refused: true, text: refusal(answer, waitMs) }
    }
    case 'queued':
      return { refused: false, text: placeInLine(answer) }
    case 'forgotten':
      return { refused: false, text: forgotten }
    case 'failed':
    case 'invalid':
      return { refused: false, text: answer.detail }
    case 'down':
      if (ageMs > noAnswerStandsMs) break
      return { refused: false, text: noAnswer }
  }
  return { refused: false, text: own }
}

function showMeter(meter, { name, limit, left, inWindow }) {
  // Without a limit the meter stays empty; where nobody gets in it is full.
  const full = limit || 1
  const used = limit === null ? 0 : Math.max(0, full - left)
  meter.setAttribute('aria-label', `${name}, taken`)
  meter.setAttribute('aria-valuemax', full)
  meter.setAttribute('aria-valuenow', used)
  meter.setAttribute('aria-valuetext', takenOf({ limit, left, inWindow }))
  meter.classList.toggle('full', left === 0)
  meter.firstElementChild.setAttribute('width', `${(100 * used) / full}%`)
}
