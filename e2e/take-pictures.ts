// Takes the pictures of the documents anew, from recorded exports. The web app has to be built: npm start does it.
import { join } from "node:path";
import { launchBrowserFor, openPage } from "./browser.ts";
import { readExpected, replay } from "./fixture-sources.ts";
import { startServer } from "./server.ts";

const IMAGES = join(import.meta.dirname, "../docs/images");
const SOURCE = "py-langchain-openinference";
const TRACE = "311268aa2695d03f2646c5d5ea160d7d";

const { projectName, spans } = readExpected(SOURCE);
const lastModelCall = spans.findLast((span) => span.traceId === TRACE && span.kind === "LLM");
if (lastModelCall === undefined) throw new Error(`trace ${TRACE} of ${SOURCE} has no model call`);

await using server = await startServer();
await replay(server, [SOURCE]);
const browser = await launchBrowserFor(server);
const address = `${server.url}/p/${projectName}/traces/${TRACE}?span=${lastModelCall.spanId}`;
await using watched = await openPage(browser, address, {
	viewport: { width: 1280, height: 760 },
	deviceScaleFactor: 1.5,
});
await watched.page.getByText("Tools offered").waitFor();
await watched.page.screenshot({ path: join(IMAGES, "trace.png"), animations: "disabled" });
await browser.close();
