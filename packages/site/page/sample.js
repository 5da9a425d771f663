// The sample log, loaded when it is first asked for: as a script, which a page opened from a file may load.
import { onAxis } from '../src/playground/pasted.ts'

const { sample } = document.currentScript.dataset
let loading

export function loadSample() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = sample
    script.addEventListener('load', () => resolve(onAxis(arrivalsOf(window.sluiceSample))))
    script.addEventListener('error', () => reject(new Error('The sample log could not be loaded.')))
    document.head.append(script)
  })
  return loading
}

function arrivalsOf({ fromMs, keys, requests }) {
  const arrivals = []
  let second = 0
  for (let i = 0; i < requests.length; i += 2) {
    second += requests[i]
    arrivals.push({ atUs: (fromMs + second * 1000) * 1000, key: keys[requests[i + 1]] })
  }
  return arrivals
}
