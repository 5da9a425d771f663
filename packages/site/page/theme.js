// Runs before the page is drawn, so that it does not flash in the other colours.
const chosen = (() => {
  try {
    return localStorage.getItem('sluice-theme')
  } catch {
    return null
  }
})()
if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen
document.documentElement.classList.add('has-script')
