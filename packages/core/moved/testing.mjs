import "node:'@sluice/core/testing' is '@sluice/testing' now: npm install @sluice/testing"
