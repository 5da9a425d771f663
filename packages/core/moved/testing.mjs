// No such module: Node says so before it looks for the names that are imported.
import "node:'@sluice/core/testing' is '@sluice/testing' now: npm install @sluice/testing"
