throw new Error("'@sluice/core/testing' is '@sluice/testing' now: npm install @sluice/testing")
