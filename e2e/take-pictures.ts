// Takes the pictures of the documents anew, from recorded exports. The web app has to be built: npm start does it.
import { join } from "node:path";
import type { BrowserContext } from "playwright-core";
import { launchBrowser, launchBrowserFor, openPage, type UserBrowser } from "./browser.ts";
import { readExpected, replay } from "./fixture-sources.ts";
import { startServer } from "./server.ts";

const IMAGES = join(import.meta.dirname, "../docs/images");
const SOURCE = "py-langchain-openinference";
const TRACE = "311268aa2695d03f2646c5d5ea160d7d";
const LOOK = { viewport: { width: 1280, height: 760 }, deviceScaleFactor: 1.5 };
const USERS = [
	["Ada", "ADMIN"],
	["Grace", "MEMBER"],
	["Edsger", "VIEWER"],
] as const;

const { projectName, spans } = readExpected(SOURCE);
const lastModelCall = spans.findLast((span) => span.traceId === TRACE && span.kind === "LLM");
if (lastModelCall === undefined) throw new Error(`trace ${TRACE} of ${SOURCE} has no model call`);

await using server = await startServer({ authentication: true });
await replay(server, [SOURCE]);
const stranger = await launchBrowser();
const admin = await launchBrowserFor(server);
const context = await admin.newContext();
await fill(context);
await takePicture(
	admin,
	"trace.png",
	`/p/${projectName}/traces/${TRACE}?span=${lastModelCall.spanId}`,
	"Tools offered",
);
await takePicture(stranger, "log-in.png", "/login", "Password");
await takePicture(admin, "users.png", "/settings/users", "Edsger");
await takePicture(admin, "system-keys.png", "/settings/system-keys", "nightly evaluation");
await takePicture(admin, "audit.png", "/settings/audit", "Grace");
await admin.close();
await stranger.close();

/** What an installation has after some days: users and keys. */
async function fill({ request }: BrowserContext): Promise<void> {
	const post = async (path: string, data: unknown) => {
		const response = await request.post(server.url + path, { data });
		if (!response.ok()) throw new Error(`POST ${path} answered ${response.status()}: ${await response.text()}`);
	};
	for (const [username, role] of USERS) {
		const email = `${username.toLowerCase()}@example.com`;
		const user = { auth_method: "LOCAL", email, username, role, password: "to be replaced" };
		await post("/v1/users", { user, send_welcome_email: false });
	}
	await post("/v1/system/api_keys", {
		data: { name: "collector", description: "OpenTelemetry collector in production" },
	});
	const expires_at = new Date(Date.now() + 90 * 86_400_000).toISOString();
	await post("/v1/system/api_keys", { data: { name: "nightly evaluation", expires_at } });
}

async function takePicture(browser: UserBrowser, file: string, path: string, shows: string): Promise<void> {
	await using watched = await openPage(browser, server.url + path, LOOK);
	await watched.page.getByText(shows).first().waitFor();
	await watched.page.screenshot({ path: join(IMAGES, file), animations: "disabled" });
}
