import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import fastifyStatic from "@fastify/static";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Context } from "#context.ts";
import { withAccess } from "./access-policy.ts";
import type { AllowedMethods } from "./allowed-methods.ts";
import { isApiPath } from "./api-paths.ts";
import type { App } from "./app-type.ts";
import { sendPlain } from "./error-wire.ts";
import { escapeHtml } from "./escape-html.ts";
import { VERSION } from "./versions.ts";

const MISSING_BUILD = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Spanward</title></head>
<body>
<h1>The web app is not built</h1>
<p>Run <code>npm start</code> in the folder of Spanward: it builds the web app before the start. Receiving spans and the REST API work without it; the API is documented at <a href="docs/">docs</a>.</p>
</body>
</html>
`;

/** There while programs can log in. */
const PAGES_OF_PROGRAMS: ReadonlySet<string> = new Set(["/oauth2/consent", "/device"]);

/** Headers that browsers heed on pages only. On the scripts and styles of a page they would be a fifth of what it loads first. */
const HEADERS_OF_PAGES = [
	"content-security-policy",
	"cross-origin-opener-policy",
	"permissions-policy",
	"x-colab-notebook-cache-control",
	"x-frame-options",
	"x-permitted-cross-domain-policies",
];

/** What the web app is told when its page is served. Everybody can read it: no secrets, no internal host names. */
export interface WebConfig {
	readonly basePath: string;
	readonly grpcPort: number;
	/** Whether agents are answered over MCP. */
	readonly mcp: boolean;
	/** Whether models may be called. */
	readonly modelCalls: boolean;
	readonly auth: WebAuthConfig;
}

/** What the sign-in pages need before anybody has signed in. */
export interface WebAuthConfig {
	readonly enabled: boolean;
	readonly passwordLogin: boolean;
	/** Whether a forgotten password can be replaced by a link in a mail. */
	readonly passwordMail: boolean;
	readonly ldap: boolean;
	readonly providers: readonly { readonly id: string; readonly name: string }[];
	/** Id of the provider that the log-in page goes to by itself; null when it waits for a choice. */
	readonly autoLogin: string | null;
	/** Whether `SERVICE_ENABLE_STRONG_PASSWORD_POLICY` holds for new passwords. */
	readonly strongPasswords: boolean;
	/** The app asks for new tokens before the old ones end. */
	readonly accessTokenMinutes: number;
	readonly supportEmail: string | null;
	/** Whether programs can log in, so that there are pages to let them in. */
	readonly programs: boolean;
}

export function toWebAuthConfig({ config, auth }: Pick<Context, "config" | "auth">): WebAuthConfig {
	const passwordLogin = !config.SERVICE_DISABLE_BASIC_AUTH;
	return {
		enabled: auth.enabled,
		passwordLogin,
		passwordMail: passwordLogin && auth.userMails.canSendLinks,
		ldap: config.SERVICE_LDAP_HOST.length > 0,
		providers: config.OAUTH2_PROVIDERS.map(({ id, displayName }) => ({ id, name: displayName })),
		autoLogin: config.OAUTH2_PROVIDERS.find(({ autoLogin }) => autoLogin)?.id ?? null,
		strongPasswords: config.SERVICE_ENABLE_STRONG_PASSWORD_POLICY,
		accessTokenMinutes: config.SERVICE_ACCESS_TOKEN_EXPIRY_MINUTES,
		supportEmail: config.SERVICE_SUPPORT_EMAIL,
		programs: auth.enabled && config.SERVICE_ENABLE_OAUTH2_AUTHORIZATION_SERVER,
	};
}

/**
 * Serves the built web app from `folder`: files under `assets/` carry a hash in their name and never change, every other
 * unknown GET is the page, with the base path and version put in.
 */
export function serveWebApp(
	app: App,
	folder: string | undefined,
	allowedMethods: AllowedMethods,
	webConfig: WebConfig,
): void {
	if (folder !== undefined && existsSync(join(folder, "assets"))) {
		void app.register(async (files: App) => {
			withAccess(files, "public");
			files.addHook("onSend", async (_request, reply) => {
				if (reply.statusCode === 200) for (const name of HEADERS_OF_PAGES) void reply.removeHeader(name);
			});
			await files.register(fastifyStatic, {
				root: join(folder, "assets"),
				prefix: "/assets/",
				decorateReply: false,
				immutable: true,
				maxAge: "365d",
				index: false,
				// What the build has written beside each file, in Brotli and gzip.
				preCompressed: true,
			});
		});
		void app.register(async (files: App) => {
			withAccess(files, "public");
			await files.register(fastifyStatic, {
				root: folder,
				prefix: "/",
				decorateReply: false,
				wildcard: false,
				index: false,
				globIgnore: ["index.html", "assets/**"],
				maxAge: "1h",
			});
		});
	}
	app.setNotFoundHandler(answer);
	// Before the body: without credentials nobody may make the server hold a body that it will not look at.
	app.addHook("onRequest", async (request, reply) => (request.is404 ? answer(request, reply) : undefined));

	async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
		const allowed = allowedMethods(request.url.split("?", 1)[0] ?? "/");
		if (allowed.length === 0) return answerUnknown(request, reply, folder, webConfig);
		return sendPlain(
			request,
			reply.header("allow", allowed.join(", ")),
			405,
			"method_not_allowed",
			"Method Not Allowed",
		);
	}
}

async function answerUnknown(
	request: FastifyRequest,
	reply: FastifyReply,
	folder: string | undefined,
	webConfig: WebConfig,
): Promise<FastifyReply> {
	const path = request.url.split("?", 1)[0] ?? "/";
	const isKnown = PAGES_OF_PROGRAMS.has(path) ? webConfig.auth.programs : !isApiPath(path);
	if (!isKnown) return sendPlain(request, reply, 404, "not_found", "Not Found");
	if (request.method !== "GET" && request.method !== "HEAD") {
		return sendPlain(request, reply, 405, "method_not_allowed", "Method Not Allowed");
	}
	if (path.startsWith("/assets/")) return sendPlain(request, reply, 404, "not_found", "Not Found");
	// With accounts a page left behind by a log-out must not come back out of the browser's memory.
	const cacheControl = webConfig.auth.enabled ? "no-store" : "no-cache";
	void reply.type("text/html; charset=utf-8").header("cache-control", cacheControl);
	const page = folder === undefined ? undefined : await readPage(folder);
	if (page === undefined) return reply.code(503).send(MISSING_BUILD);
	return reply.send(withConfig(page, webConfig));
}

/** Read anew each time, so that a new build does not need a restart. */
async function readPage(folder: string): Promise<string | undefined> {
	try {
		return await readFile(join(folder, "index.html"), "utf8");
	} catch (error) {
		if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
		throw error;
	}
}

/** Puts in a `<base>`, so that relative addresses work at any depth, and what the app has to know. */
function withConfig(page: string, { basePath, grpcPort, mcp, modelCalls, auth }: WebConfig): string {
	const config = JSON.stringify({ basePath, version: VERSION, grpcPort, mcp, modelCalls, auth });
	const tags = [
		`<base href="${escapeHtml(basePath)}/">`,
		`<meta name="spanward-config" content="${escapeHtml(config)}">`,
	];
	return page
		.replace(/<base [^>]*>|<meta name="spanward-config"[^>]*>/g, "")
		.replace(/<head[^>]*>/, (head) => head + tags.join(""));
}
