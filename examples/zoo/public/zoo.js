import { buyTicket, readAttractions } from './api.js'
import { createCard } from './card.js'
import { createCharts } from './charts.js'
import { createCrowdForm } from './crowd-form.js'
import { followTicket } from './follow.js'
import { startPolling } from './poll.js'
import { setText } from './text.js'
import { createTickets } from './tickets.js'
import { curlLine, noAnswer, serverLine, waysToLimit } from './wording.js'

document.title = `Zoo tickets, ${location.host}`
const byId = (id) => document.getElementById(id)
const field = byId('visitor')
const cards = new Map()
/** The latest purchase at each attraction. */
const latest = new Map()
const addTicket = createTickets({ list: byId('tickets'), none: byId('no-tickets') })
const charts = createCharts({ tell: (line) => setText(byId('span'), line) })
const offerToCrowd = createCrowdForm({ form: byId('crowd'), ask: buyTicket })
let visitor = 'bob'

function takeName() {
  visitor = field.value.trim() || visitor
  setText(byId('curl-line'), curlLine(location.origin, visitor))
}

function show({ visitor: asked, server, attractions }) {
  byId('page').classList.remove('lost')
  byId('server-mark').className = server.store === 'local' ? 'dot away' : 'dot live'
  setText(byId('server'), serverLine(server))
  setText(byId('ways'), waysToLimit(attractions.length))
  offerToCrowd(attractions)
  placeCards(attractions)
  for (const attraction of attractions) {
    const card = cards.get(attraction.id)
    card.show(attraction, asked)
    charts.set(attraction, card.chart)
  }
}

function lose() {
  byId('page').classList.add('lost')
  byId('server-mark').className = 'dot'
  setText(byId('server'), noAnswer)
}

function placeCards(attractions) {
  const ids = new Set(attractions.map(({ id }) => id))
  for (const [id, card] of cards) {
    if (ids.has(id)) continue
    card.node.remove()
    charts.drop(id)
    cards.delete(id)
  }
  for (const { id, name } of attractions) {
    if (cards.has(id)) continue
    const card = createCard({ id, buy: () => buy(id, name) })
    cards.set(id, card)
    byId('grid').append(card.node)
  }
}

async function buy(id, name) {
  if (!field.reportValidity()) return
  const answer = await buyTicket({ attraction: id, visitor })
  const purchase = Symbol(id)
  latest.set(id, purchase)
  const show = (next) => {
    // The ticket of an earlier purchase lands in the list; the card speaks of the latest.
    if (latest.get(id) === purchase) say(id, name, next)
    addTicket(name, { visitor: answer.visitor, ...next })
  }
  show(answer)
  pollNow()
  if (answer.outcome === 'queued') await followTicket({ at: answer.at, onAnswer: show })
}

function say(id, name, answer) {
  const sentence = cards.get(id)?.say(answer)
  // Set even when it says that already: a second refusal is announced like the first.
  byId('said').textContent = `${name}: ${sentence}`
}

field.addEventListener('input', () => {
  takeName()
  latest.clear()
  for (const card of cards.values()) card.hush()
  pollNow()
})
takeName()
const pollNow = startPolling({ read: () => readAttractions(visitor), show, lose })
