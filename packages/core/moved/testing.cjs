throw new Error(
  "@sluice/core/testing is a package of its own now: npm install @sluice/testing, and write '@sluice/testing' in place of '@sluice/core/testing'",
)
