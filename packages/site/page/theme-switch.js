/** The switch between the system's colours, light and dark; tells the page when they have changed. */
export function switchTheme() {
  const { dataset } = document.documentElement
  for (const input of document.querySelectorAll('.theme input')) {
    input.checked = input.value === (dataset.theme ?? 'auto')
    input.addEventListener('change', () => {
      if (input.value === 'auto') delete dataset.theme
      else dataset.theme = input.value
      remember(input.value)
      document.dispatchEvent(new Event('themechange'))
    })
  }
}

function remember(theme) {
  try {
    if (theme === 'auto') localStorage.removeItem('sluice-theme')
    else localStorage.setItem('sluice-theme', theme)
  } catch {
    // A browser without storage forgets it with the page.
  }
}
