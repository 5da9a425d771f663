import { startSearch } from './search.js'
import { switchTheme } from './theme-switch.js'

switchTheme()
startSearch()

/** Open where there is room for what is in it; elsewhere a reader opens it. */
function openWhere(details, width) {
  const wide = matchMedia(`(min-width: ${width})`)
  const follow = () => details?.toggleAttribute('open', wide.matches)
  wide.addEventListener('change', follow)
  follow()
}
const menu = document.querySelector('.menu')
openWhere(menu, '62rem')
openWhere(document.querySelector('.more'), '48.0625rem')
menu?.querySelector('[aria-current="page"]')?.scrollIntoView({ block: 'nearest' })

document.addEventListener('click', ({ target }) => {
  for (const open of document.querySelectorAll('.versions[open]'))
    if (!open.contains(target)) open.open = false
})

/** What scrolls sideways can be reached by the keyboard. */
function reachable() {
  for (const box of scrolling) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0
    else box.removeAttribute('tabindex')
  }
}
const scrolling = document.querySelectorAll('.prose pre, .table:not([role])')
const sizes = new ResizeObserver(reachable)
for (const box of scrolling) for (const one of [box, box.firstElementChild]) if (one) sizes.observe(one)

for (const pre of document.querySelectorAll('.prose pre')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy button small'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(pre.textContent)
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 2000)
  })
  const box = document.createElement('div')
  box.className = 'code'
  pre.replaceWith(box)
  box.append(pre, button)
}
