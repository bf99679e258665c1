import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import fastifyStatic from "@fastify/static";
import type { FastifyReply, FastifyRequest } from "fastify";
import { withAccess } from "./access-policy.ts";
import type { AllowedMethods } from "./allowed-methods.ts";
import type { App } from "./app-type.ts";
import { sendPlain } from "./error-wire.ts";
import { VERSION } from "./versions.ts";

/** Below these an unknown path is an unknown path; elsewhere it is a page of the web app. */
const API_PATHS = /^\/(v1|auth|oauth2|\.well-known|api|docs|openapi\.json|metrics)(\/|$)/;

const MISSING_BUILD = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Spanward</title></head>
<body>
<h1>The web app is not built</h1>
<p>Run <code>npm start</code> in the folder of Spanward: it builds the web app before it starts. Receiving spans and the REST API work without it; the API is described at <a href="docs/">docs</a>.</p>
</body>
</html>
`;

/** What the web app is told when its page is served. */
export interface WebConfig {
	readonly basePath: string;
	readonly grpcPort: number;
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
			await files.register(fastifyStatic, {
				root: join(folder, "assets"),
				prefix: "/assets/",
				decorateReply: false,
				immutable: true,
				maxAge: "365d",
				index: false,
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
	app.setNotFoundHandler((request, reply) => {
		const allowed = allowedMethods(request.url.split("?", 1)[0] ?? "/");
		if (allowed.length === 0) return answerUnknown(request, reply, folder, webConfig);
		return sendPlain(
			request,
			reply.header("allow", allowed.join(", ")),
			405,
			"method_not_allowed",
			"Method Not Allowed",
		);
	});
}

async function answerUnknown(
	request: FastifyRequest,
	reply: FastifyReply,
	folder: string | undefined,
	webConfig: WebConfig,
): Promise<FastifyReply> {
	const path = request.url.split("?", 1)[0] ?? "/";
	if (API_PATHS.test(path)) return sendPlain(request, reply, 404, "not_found", "Not Found");
	if (request.method !== "GET" && request.method !== "HEAD") {
		return sendPlain(request, reply, 405, "method_not_allowed", "Method Not Allowed");
	}
	if (path.startsWith("/assets/")) return sendPlain(request, reply, 404, "not_found", "Not Found");
	void reply.type("text/html; charset=utf-8").header("cache-control", "no-cache");
	const page = folder === undefined ? undefined : await readPage(folder);
	if (page === undefined) return reply.code(503).send(MISSING_BUILD);
	return reply.send(withConfig(page, webConfig));
}

/** Read anew each time, so that a new build does not need a new start. */
async function readPage(folder: string): Promise<string | undefined> {
	try {
		return await readFile(join(folder, "index.html"), "utf8");
	} catch (error) {
		if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
		throw error;
	}
}

/** Puts in a `<base>`, so that relative addresses work at any depth, and what the app has to know. */
function withConfig(page: string, { basePath, grpcPort }: WebConfig): string {
	const config = JSON.stringify({ basePath, version: VERSION, grpcPort });
	const tags = [
		`<base href="${escapeAttribute(basePath)}/">`,
		`<meta name="spanward-config" content="${escapeAttribute(config)}">`,
	];
	return page
		.replace(/<base [^>]*>|<meta name="spanward-config"[^>]*>/g, "")
		.replace(/<head[^>]*>/, (head) => head + tags.join(""));
}

function escapeAttribute(text: string): string {
	return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
