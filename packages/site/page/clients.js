// What each client asked for and got, where there are a few.
import { count, shortWait } from './numbers.js'

export const waitWords = (ms) => (ms === 0 ? 'none' : shortWait(ms))

export function showClients(table, clients, { waits }) {
  table.hidden = clients.length === 0
  table.classList.toggle('waits', waits)
  table.tBodies[0].replaceChildren(
    ...clients.map(({ key, asked, admitted, longestWaitMs }) => {
      const row = document.createElement('tr')
      const name = document.createElement('th')
      name.scope = 'row'
      name.textContent = key
      row.append(name)
      for (const words of [count(asked), count(admitted), waitWords(longestWaitMs)])
        row.insertCell().textContent = words
      return row
    }),
  )
}
