/**
 * The result of a run of jest: how many tests passed and failed, and in `wrong` a sentence for each fault that no
 * failed test shows. Each such fault counts as a failed test, so a run that has tested nothing fails.
 */
exports.verdict = ({ reported, passed, failed, over, running, ranIn }, { code, projects = [] }) => {
  const wrong = []
  if (!reported) {
    wrong.push(`jest ended with exit code ${code} and has not reported its results`)
  } else if (!over) {
    const where = running.length === 0 ? '' : `; it was at ${running.join(', ')}`
    wrong.push(`jest ended with exit code ${code} before all its tests had run${where}`)
  } else if (passed === 0 && failed === 0) {
    wrong.push('no test has run')
  }
  for (const project of projects) {
    if (over && !ranIn[project]) wrong.push(`no test has run in the project ${project}`)
  }
  if (code !== 0 && failed === 0 && wrong.length === 0) {
    wrong.push(`jest ended with exit code ${code}, although no test had failed`)
  }
  return { passed, failed: failed + wrong.length, wrong }
}

/** The result of a run without any output. */
exports.nothing = {
  reported: false,
  passed: 0,
  failed: 0,
  over: false,
  running: [],
  ranIn: {},
  notPassed: [],
}
