// The search: its data is a script, which also a page opened from a file may load.
import { searchOf } from '../src/search/engine.ts'
import { excerptOf } from './excerpt.js'

const mostResults = 20
const { root, index } = document.currentScript.dataset
const base = root.replace(/index\.html$/, '')
let searching

/** Loads the data once, when it is first needed. */
function load() {
  searching ??= new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = index
    script.addEventListener('load', () => resolve(searchOf(window.sluiceSearch)))
    script.addEventListener('error', reject)
    document.head.append(script)
  })
  return searching
}

export function startSearch() {
  const dialog = document.getElementById('search')
  const words = document.getElementById('search-words')
  const results = document.getElementById('search-results')
  const status = document.getElementById('search-status')

  const open = () => {
    if (!dialog.open) dialog.showModal()
    words.select()
    void load()
  }
  document.getElementById('search-open').addEventListener('click', open)
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.closest('input, textarea, select, [contenteditable]') !== null
    const isSlash = event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey
    if (!isSlash && !(event.key === 'k' && (event.ctrlKey || event.metaKey))) return
    event.preventDefault()
    open()
  })
  words.addEventListener('input', async () => {
    const asked = words.value.trim()
    const found = asked === '' ? [] : (await load())(asked)
    if (asked !== words.value.trim()) return // typed on
    results.replaceChildren(...found.slice(0, mostResults).map((one) => itemOf(one, one.terms)))
    status.textContent = asked === '' ? '' : `${found.length} found`
    if (asked !== '' && found.length === 0) results.append(nothing(asked))
  })
  dialog.addEventListener('keydown', (event) => moveBetween(event, words, results))
  results.addEventListener('click', (event) => {
    if (event.target.closest('a')) dialog.close()
  })
}

function itemOf({ url, title, heading, text }, terms) {
  const item = document.createElement('li')
  const link = document.createElement('a')
  link.href = base + url
  const where = document.createElement('b')
  where.textContent = heading || title
  const page = document.createElement('small')
  page.textContent = heading ? title : ''
  const excerpt = document.createElement('span')
  for (const { part, isHit } of excerptOf(text, terms)) {
    const node = isHit ? document.createElement('mark') : new Text()
    node.textContent = part
    excerpt.append(node)
  }
  link.append(where, page, excerpt)
  item.append(link)
  return item
}

function nothing(asked) {
  const item = document.createElement('li')
  item.className = 'nothing'
  item.textContent = `Nothing was found for “${asked}”.`
  return item
}

/** Arrow keys go from the field through the results; Enter in the field opens the first. */
function moveBetween(event, words, results) {
  const links = [words, ...results.querySelectorAll('a')]
  const at = links.indexOf(document.activeElement)
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault()
    links.at((at + (event.key === 'ArrowDown' ? 1 : -1) + links.length) % links.length).focus()
  } else if (event.key === 'Enter' && at === 0) {
    event.preventDefault()
    links[1]?.click()
  }
}
