import { refusalOnTicket } from './wording.js'

const most = 10
const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })

/** "Your tickets": what was bought and what was refused, newest first. */
export function createTickets({ list, none, now = () => new Date() }) {
  /** Adds an answer that is a ticket or a refusal; others leave no trace here. */
  return function add(attractionName, answer) {
    const write = writers[answer.outcome]
    if (!write) return
    none.hidden = true
    list.prepend(write(attractionName, answer, clock.format(now())))
    while (list.children.length > most) list.lastElementChild.remove()
  }
}

function boughtItem(attractionName, { visitor, ticket }, time) {
  const item = copy('#ticket')
  item.querySelector('b').textContent = attractionName
  item.querySelector('.number').textContent = ticket
  item.querySelector('small').textContent = `${visitor}, ${time}`
  return item
}

function refusedItem(attractionName, answer, time) {
  const item = copy('#turned')
  item.querySelector('span').textContent = attractionName
  item.querySelector('small').textContent = `${answer.visitor}, ${time}, ${refusalOnTicket(answer)}`
  return item
}

const writers = { bought: boughtItem, refused: refusedItem }

const copy = (template) => document.querySelector(template).content.firstElementChild.cloneNode(true)
